"""The policy file (src/core/sensor-protocol.ts, ``SensorPolicyFile``)."""

import json
from typing import Any, NamedTuple


class PolicyFile(NamedTuple):
    generation: int
    policy_id: str
    policy: "dict[str, Any]"
    #: Compiled regular expressions by their source text.
    programs: "dict[str, Any]"


def parse_policy_file(text: "str | bytes") -> "PolicyFile | str":
    """The file's value, or why it is none."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"The policy file is not JSON: {error}"
    if not isinstance(value, dict):
        return "The policy file holds no object."
    if value.get("format") != 1:
        return f"The policy file has format {value.get('format')!r}; this sensor reads 1."
    generation = value.get("generation")
    if not isinstance(generation, int) or isinstance(generation, bool):
        return "The policy file has no generation."
    policy, programs = value.get("policy"), value.get("programs")
    if not isinstance(policy, dict) or not isinstance(programs, dict):
        return "The policy file lacks policy or programs."
    return PolicyFile(generation, str(value.get("policy_id", "")), policy, programs)
