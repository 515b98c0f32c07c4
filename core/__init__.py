"""The words every part of Remembrancer uses. No input or output happens here."""
