"""What the sensors observe besides MCP."""

from typing import Any, NamedTuple

from .inherit import inherit

PROVIDERS = ("openai", "anthropic")


class Runtime(NamedTuple):
    """``code``: code from strings, and native libraries."""

    exec: bool = False
    network: bool = False
    fs: bool = False
    code: bool = False


class Llm(NamedTuple):
    enabled: bool = False
    providers: "tuple[str, ...]" = ()
    content: bool = False


class Framework(NamedTuple):
    enabled: bool = False
    content: bool = False


class Settings(NamedTuple):
    runtime: Runtime = Runtime()
    llm: Llm = Llm()
    langchain: Framework = Framework()
    crewai: Framework = Framework()
    a2a: bool = False


NOTHING = Settings()


def settings_of(policy: "dict[str, Any]") -> Settings:
    """Reads the sections of a policy document; an absent switch has the default that the policy reference names."""
    sensor = policy.get("python_sensor")
    runtime = (sensor or {}).get("runtime") or {}
    on = inherit([sensor, runtime]).enabled
    llm = policy.get("llm")
    return Settings(
        runtime=Runtime(
            exec=on and runtime.get("exec") is not False,
            network=on and runtime.get("network") is not False,
            fs=on and runtime.get("fs") is True,
            code=on,
        ),
        llm=Llm(
            enabled=inherit([llm]).enabled,
            providers=tuple((llm or {}).get("providers") or PROVIDERS),
            content=(llm or {}).get("capture_content") is not False,
        ),
        langchain=_framework(policy.get("langchain")),
        crewai=_framework(policy.get("crewai")),
        a2a=inherit([policy.get("a2a")]).enabled,
    )


def _framework(section: "dict[str, Any] | None") -> Framework:
    """Content only where it is asked for: the vendors' SDKs tell most of it already."""
    return Framework(inherit([section]).enabled, (section or {}).get("capture_content") is True)
