"""Gives every corpus file to an independent schema validator and compares its verdict with ours.

usage: compare_schema.py DUMP_TOOL SCHEMA FILE...    exits 77 (skipped) where python3-jsonschema is missing
"""
import json
import subprocess
import sys

try:
    from jsonschema import Draft7Validator
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def main() -> int:
    tool, schema_path, *files = sys.argv[1:]
    with open(schema_path, encoding="utf-8") as stream:
        validator = Draft7Validator(json.load(stream))
    lines = subprocess.run([tool, *files], check=True, capture_output=True, text=True).stdout.splitlines()
    verdicts = {True: 0, False: 0}
    differences = 0
    for line in lines:
        case = json.loads(line)
        errors = [error.message for error in validator.iter_errors(case["tree"])]
        verdicts[not errors] += 1
        if case["valid"] != (not errors):
            differences += 1
            print(f"{case['file']}: ours {case['valid']}, theirs {not errors}: {errors[:3]}")
    print(f"{len(lines)} files, {verdicts[True]} valid, {verdicts[False]} invalid, {differences} differences")
    enough = verdicts[True] >= 4 and verdicts[False] >= 5
    return 0 if enough and differences == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
