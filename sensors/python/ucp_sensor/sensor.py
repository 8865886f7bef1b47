"""What every hook gets: the policy in force and the way out for events."""

from typing import TYPE_CHECKING

from .events.writer import EventWriter
from .places import Places
from .policy.file import PolicyFile
from .policy.settings import NOTHING, Settings, settings_of
from .policy.source import PolicySource

if TYPE_CHECKING:
    from .policy.cards import CardRules
    from .policy.content import ContentRules
    from .policy.mcp import McpRules

#: Reports of one place in the sensor that are sent; a bug in a hot path must not become a flood.
MAX_REPORTS = 20


class Sensor:
    """One per process. Only :meth:`mcp`, :meth:`cards` and :meth:`content` may raise; hooks guard themselves."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._file: PolicyFile | None = None
        self._settings = NOTHING
        self._compiled: dict[str, object] = {}
        self._mcp: McpRules | None = None
        self._reports: dict[str, int] = {}
        self.events = EventWriter(places.socket, lambda: self.generation, places.mode == "host")
        self._source = PolicySource(places.policy_file, lambda reason: self.report("policy", reason))
        self.refresh()

    @property
    def generation(self) -> int:
        return 0 if self._file is None else self._file.generation

    @property
    def policy_id(self) -> str:
        return "" if self._file is None else self._file.policy_id

    def refresh(self) -> bool:
        """Takes over a new policy if there is one; true if so, and as long as there is any policy ``loaded``."""
        if not self._source.changed():
            return False
        file = self._source.current
        if file is None:
            return False
        try:
            self._settings = settings_of(file.policy)
            self._compiled = {}
            self._file = file
        except Exception as error:
            self.report("policy", error)
        return True

    @property
    def loaded(self) -> bool:
        return self._file is not None

    def settings(self) -> Settings:
        """What to observe by the policy in force; everything off until there is one."""
        self.refresh()
        return self._settings

    def mcp(self) -> "McpRules | None":
        """MCP decisions of the policy in force; ``None`` until there is one."""
        self.refresh()
        file = self._file
        if file is None:
            return None
        if "mcp" not in self._compiled:
            from .policy.mcp import McpRules

            try:
                self._mcp = McpRules(file, "python_sensor")
            except Exception as error:  # The last rules that could be read stay.
                self.report("policy", error)
            self._compiled["mcp"] = self._mcp
        return self._mcp

    def cards(self) -> "CardRules | None":
        """Decisions on agent cards; ``None`` where the A2A sensor is off."""
        if not self.settings().a2a or self._file is None:
            return None
        rules = self._compiled.get("cards")
        if rules is None:
            from .policy.cards import CardRules

            rules = self._compiled["cards"] = CardRules(self._file)
        return rules  # type: ignore[return-value]

    def content(self) -> "ContentRules | None":
        """What happens to captured content (``llm.redact``); ``None`` until there is a policy."""
        self.refresh()
        if self._file is None:
            return None
        rules = self._compiled.get("content")
        if rules is None:
            from .policy.content import ContentRules

            rules = self._compiled["content"] = ContentRules(self._file)
        return rules  # type: ignore[return-value]

    def report(self, where: str, error: object) -> None:
        """Tells of an error inside the sensor (invariant 5); never raises."""
        try:
            count = self._reports[where] = self._reports.get(where, 0) + 1
            if count > MAX_REPORTS:
                return
            text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
            from .events.redact import redact_secrets

            told = {"where": where, "error": redact_secrets(text, 2000)}
            self.events.emit("sensor_error", "runtime", told, severity="ERROR")
        except Exception:
            pass
