"""Rules of SPDX 2.3 that can be checked without a validator, and what this project wants of each component. problems_of() returns
one line for each thing that is wrong."""
import hashlib
import re

LICENCES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later",
            "ISC", "LGPL-2.1-only", "LGPL-2.1-or-later", "MIT", "NTP", "X11", "Zlib"}
EXCEPTIONS = {"GCC-exception-3.1", "Linux-syscall-note"}
RELATIONS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK"}
PURL = re.compile(r"pkg:(deb/debian|deb/octet|pypi|generic|oci)/[A-Za-z0-9.%_~-]+@[A-Za-z0-9.%_~:-]+(\?[a-z]+=[A-Za-z0-9.%_~:-]+(&[a-z]+=[A-Za-z0-9.%_~:-]+)*)?")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def licence_problems(expression: str, defined: set) -> list:
    """Of an expression with AND, OR, WITH and brackets, or NOASSERTION."""
    if expression in ("NOASSERTION", "NONE"):
        return []
    words = re.findall(r"[()]|[^\s()]+", expression)
    known = LICENCES | defined
    found = [word for place, word in enumerate(words) if word not in ("(", ")", "AND", "OR", "WITH")
             and word not in (EXCEPTIONS if place and words[place - 1] == "WITH" else known)]
    form = re.sub(r"[^\s()]+ WITH \S+(?=[\s)]|$)|[^\s()]+", lambda one: one[0] if one[0] in ("AND", "OR") else "x", expression)
    while re.search(r"\(x( (AND|OR) x)*\)", form):
        form = re.sub(r"\(x( (AND|OR) x)*\)", "x", form)
    if not re.fullmatch(r"x( (AND|OR) x)*", form):
        found.append(f"form of {expression}")
    return found


def code_of(files) -> str:
    hashes = sorted(one["checksumValue"] for file in files for one in file["checksums"] if one["algorithm"] == "SHA1")
    return hashlib.sha1("".join(hashes).encode()).hexdigest()


def package_problems(package: dict, defined: set) -> list:
    name = package.get("name", "package without a name")
    wanted = ("SPDXID", "name", "versionInfo", "supplier", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText")
    found = [f"{name}: no {field}" for field in wanted if not package.get(field)]
    found += [f"{name}: {field} has {word}" for field in ("licenseConcluded", "licenseDeclared")
              for word in licence_problems(package.get(field, ""), defined)]
    if package.get("licenseDeclared") == "NOASSERTION" and not package.get("licenseComments"):
        found.append(f"{name}: no licence and no reason")
    if not re.match(r"(Organization|Person): \S", package.get("supplier", "")):
        found.append(f"{name}: supplier")
    purls = [one["referenceLocator"] for one in package.get("externalRefs", [])
             if (one["referenceCategory"], one["referenceType"]) == ("PACKAGE-MANAGER", "purl")]
    if not purls or not all(PURL.fullmatch(one) for one in purls):
        found.append(f"{name}: purl {purls}")
    if package.get("filesAnalyzed") is not ("packageVerificationCode" in package):
        found.append(f"{name}: filesAnalyzed")
    return found


def relation_problems(document: dict) -> list:
    files = {file["SPDXID"]: file for file in document["files"]}
    known = {"SPDXRef-DOCUMENT": None, **files, **{package["SPDXID"]: package for package in document["packages"]}}
    found = []
    for relation in document["relationships"]:
        found += [f"relationship to unknown {relation[end]}" for end in ("spdxElementId", "relatedSpdxElement") if relation[end] not in known]
        if relation["relationshipType"] not in RELATIONS:
            found.append(f"relationship {relation['relationshipType']}")
    described = [one["relatedSpdxElement"] for one in document["relationships"] if one["relationshipType"] == "DESCRIBES"]
    if described != [document["packages"][0]["SPDXID"]]:
        found.append(f"describes {described}")
    contained = contents(document)
    for package in document["packages"]:
        inside = [files[one] for one in contained.get(package["SPDXID"], ()) if one in files]
        code = package.get("packageVerificationCode", {}).get("packageVerificationCodeValue")
        if bool(code) != bool(inside) or (code and code != code_of(inside)):
            found.append(f"{package['name']}: verification code")
    reached = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    return found + [f"{one}: no relationship leads to it" for one in known if one != "SPDXRef-DOCUMENT" and one not in reached]


def contents(document: dict) -> dict:
    """{package: identities that it contains}"""
    found = {}
    for relation in document["relationships"]:
        if relation["relationshipType"] == "CONTAINS":
            found.setdefault(relation["spdxElementId"], []).append(relation["relatedSpdxElement"])
    return found


def problems_of(document: dict) -> list:
    found = [f"{field} is {document.get(field)}" for field, value in
             (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")) if document.get(field) != value]
    if not document.get("name") or not re.fullmatch(r"[a-z]+:[^#\s]+", document.get("documentNamespace", "")):
        found.append("name or documentNamespace")
    creation = document.get("creationInfo", {})
    if not TIME.fullmatch(creation.get("created", "")) or not any(one.startswith("Tool: ") for one in creation.get("creators", [])):
        found.append(f"creationInfo {creation}")
    parts = document["packages"] + document["files"]
    identities = [part["SPDXID"] for part in parts]
    found += [f"identity {one}" for one in identities if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one)]
    found += [f"{one} stands twice" for one in set(identities) if identities.count(one) > 1]
    extracted = document.get("hasExtractedLicensingInfos", [])
    found += [f"licence text {one.get('licenseId')}" for one in extracted
              if not re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", one.get("licenseId", "")) or not one.get("extractedText")]
    for package in document["packages"]:
        found += package_problems(package, {one.get("licenseId") for one in extracted})
    found += [f"{file['SPDXID']}: name or SHA1" for file in document["files"]
              if not file["fileName"].startswith("./") or "SHA1" not in {one["algorithm"] for one in file["checksums"]}]
    return found + relation_problems(document)


def missing(document: dict, expected: set) -> set:
    """Debian packages that are no component of it."""
    return expected - {package["name"] for package in document["packages"][1:]}
