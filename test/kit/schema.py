# schema.py SCHEMA FILE...: does each file fit the schema?  Knows the words of JSON schema that
# the schemas in tools/ use, and stops at any other.
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
         "null": type(None)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "minimum", "maximum", "pattern",
         "required", "properties", "additionalProperties", "items"}


def is_a(value, kind):
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def wrong(value, rule, root, at):
    """The first thing that does not fit, or None."""
    if set(rule) - KNOWN:
        return at + ": the schema has the unknown word " + ", ".join(set(rule) - KNOWN)
    if "$ref" in rule:
        return wrong(value, root["$defs"][rule["$ref"].rsplit("/", 1)[1]], root, at)
    kinds = rule.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, kind) for kind in kinds):
        return at + ": is no " + " or ".join(kinds)
    if "const" in rule and value != rule["const"]:
        return at + ": is not " + str(rule["const"])
    if "enum" in rule and value not in rule["enum"]:
        return at + ": is none of " + str(rule["enum"])
    if "minimum" in rule and is_a(value, "number") and value < rule["minimum"]:
        return at + ": is too small"
    if "maximum" in rule and is_a(value, "number") and value > rule["maximum"]:
        return at + ": is too large"
    if "pattern" in rule and isinstance(value, str) and not re.search(rule["pattern"], value):
        return at + ": is not like " + rule["pattern"]
    inside = []
    if isinstance(value, dict):
        missing = [name for name in rule.get("required", []) if name not in value]
        if missing:
            return at + ": lacks " + ", ".join(missing)
        if rule.get("additionalProperties") is False and set(value) - set(rule["properties"]):
            return at + ": has also " + ", ".join(set(value) - set(rule["properties"]))
        inside = [(at + "." + name, value[name], rule.get("properties", {}).get(name)) for name in value]
    elif isinstance(value, list):
        inside = [("%s[%d]" % (at, i), item, rule.get("items")) for i, item in enumerate(value)]
    for where, item, of in inside:
        found = of and wrong(item, of, root, where)
        if found:
            return found
    return None


with open(sys.argv[1]) as f:
    schema = json.load(f)
for name in sys.argv[2:]:
    with open(name) as f:
        fault = wrong(json.load(f), schema, schema, name)
    if fault:
        sys.exit(fault)
