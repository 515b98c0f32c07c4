"""Real minutes and decision records: is what a colleague asks weeks later found in the folder they lie in?"""
