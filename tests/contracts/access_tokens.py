"""What every engine promises of `graph.protocols.administration.AccessTokens`."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from core.interface.caller import AccessToken, hash_secret
from graph.store import Store
from tests.contracts.makers import HOSTILE, at

CI = AccessToken(
    name="ci",
    digest=hash_secret("secret of ci"),
    projects=("alpha", "beta"),
    read_only=True,
    created_at=at(0),
    expires_at=at(90),
)
ALL = AccessToken(name="all", digest=hash_secret("secret of all"), created_at=at(1), last_used=at(2))


class AccessTokensContract:
    """Tests of tokens."""

    def test_tokens_come_back_by_name_as_they_were_added(self, store: Store) -> None:
        """Rights, expiry and use; every project is none in particular."""
        assert store.tokens() == []
        assert [store.add_token(CI), store.add_token(ALL)] == [True, True]

        assert store.tokens() == [ALL, CI]

    def test_a_name_is_given_once(self, store: Store) -> None:
        """The second token of a name changes nothing of the first."""
        store.add_token(CI)

        assert store.add_token(replace(ALL, name="ci")) is False
        assert store.tokens() == [CI]

    def test_a_removed_token_is_gone_and_its_name_free(self, store: Store) -> None:
        """Revocation; what was never there is no error."""
        store.add_token(CI)

        assert [store.remove_token("ci"), store.remove_token("ci"), store.remove_token(HOSTILE[0])] == [
            True,
            False,
            False,
        ]
        assert store.tokens() == []
        assert store.add_token(CI) is True

    def test_the_latest_use_is_kept(self, store: Store) -> None:
        """Of several replicas, none turns the time back; a token that was removed meanwhile does not come back."""
        store.add_token(CI)
        for moment in (at(3), at(3) + timedelta(hours=1), at(2)):
            store.touch_token(CI.digest, moment)
        store.touch_token(ALL.digest, at(9))

        assert store.tokens() == [replace(CI, last_used=at(3) + timedelta(hours=1))]

    def test_tokens_are_there_for_whoever_opens_the_store(self, store: Store, reopen: Callable[[], Store]) -> None:
        """Replicas share them, and none is lost at the end of a process."""
        store.add_token(CI)
        with reopen() as other:
            assert other.tokens() == [CI]
            other.remove_token("ci")

        assert store.tokens() == []
