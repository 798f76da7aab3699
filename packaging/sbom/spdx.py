"""A document of SPDX 2.3: one package for the artefact, one for each Debian package of which something is in it or needed by it."""
import hashlib
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from artefact import epoch  # noqa: E402
from debian_packages import Package  # noqa: E402
from licences import NOTHING, joined, licence_of  # noqa: E402
from product import Product  # noqa: E402


def purl_references(purls) -> list:
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": one} for one in purls]


def verification_code(files) -> dict:
    hashes = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return {"packageVerificationCodeValue": hashlib.sha1("".join(hashes).encode()).hexdigest()}


class Component:
    """A Debian package. Its files are those in the image, and the archives of which the linker took something."""

    def __init__(self, document, package: Package):
        self.document, self.package = document, package
        self.identity = "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", package.name)
        self.inside = False  # something of it is in the artefact
        self.files = []
        self.licence = licence_of(package.name, package.source, package.copyright())

    def add_file(self, identity: str) -> None:
        self.inside = True
        if identity not in self.files:
            self.files.append(identity)

    def add_archive(self, path: pathlib.Path) -> None:
        name = path.relative_to(self.package.root).as_posix()
        if name not in self.document.archives:
            self.document.archives[name] = self.document.describe_file("Archive", len(self.document.archives), name, path.read_bytes())
        self.add_file(self.document.archives[name])

    def described(self) -> dict:
        package, licence = self.package, self.licence
        told = {"SPDXID": self.identity, "name": package.name, "versionInfo": package.version, "supplier": "Organization: Debian",
                "downloadLocation": NOTHING, "filesAnalyzed": bool(self.files),
                "licenseConcluded": licence.expression, "licenseDeclared": licence.expression, "licenseComments": licence.comment,
                "copyrightText": licence.copyright, "sourceInfo": f"built from Debian's source package {package.source} {package.source_version}",
                "externalRefs": purl_references(package.purls())}
        if self.files:
            told["packageVerificationCode"] = verification_code(self.document.files[one] for one in self.files)
            told["comment"] = "Its files here are those of which something is in the artefact."
        return told


class Document:
    def __init__(self, artefact: pathlib.Path, product: Product):
        self.artefact, self.product = artefact, product
        self.files, self.archives, self.inside, self.components, self.relations = {}, {}, [], {}, []
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
        self.head = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": artefact.name,
                     "documentNamespace": f"urn:octet:spdx:{artefact.name}:{product.digest}",
                     "creationInfo": {"created": created, "creators": [product.supplier, "Tool: octet-make_sbom"]}}

    def relate(self, one: str, how: str, other: str, comment: str = "") -> None:
        if not any(known[:3] == (one, how, other) for known in self.relations):
            self.relations.append((one, how, other, comment))

    def describe_file(self, kind: str, number: int, name: str, data: bytes) -> str:
        identity = f"SPDXRef-{kind}-{number}"
        self.files[identity] = {"SPDXID": identity, "fileName": f"./{name}",
                                "checksums": [{"algorithm": one.upper(), "checksumValue": hashlib.new(one, data).hexdigest()}
                                              for one in ("sha1", "sha256")]}
        return identity

    def add_file(self, name: str, data: bytes) -> str:
        """A file of the artefact. Returns its identity."""
        self.inside.append(self.describe_file("File", len(self.inside), name, data))
        return self.inside[-1]

    def component(self, package: Package) -> Component:
        if package.name not in self.components:
            self.components[package.name] = Component(self, package)
        return self.components[package.name]

    def described(self, components: list) -> dict:
        product = self.product
        # Linux-syscall-note says that a program which uses the headers of Linux is no work derived of it.
        parts = [component.licence.expression for component in components
                 if component.inside and not component.licence.expression.endswith("WITH Linux-syscall-note")]
        return {"SPDXID": "SPDXRef-Artefact", "name": product.name, "versionInfo": product.version, "packageFileName": self.artefact.name,
                "supplier": product.supplier, "downloadLocation": NOTHING, "filesAnalyzed": True,
                "packageVerificationCode": verification_code(self.files[one] for one in self.inside),
                "licenseConcluded": joined([product.licence, *parts]), "licenseDeclared": product.licence,
                "licenseComments": "Declared: of Octet's own files. Concluded: with those of all components that are in the artefact.",
                "copyrightText": "2026 the authors of Octet", "externalRefs": purl_references([product.purl]),
                "checksums": [{"algorithm": "SHA256", "checksumValue": product.digest}]}

    def text(self) -> str:
        components = [self.components[name] for name in sorted(self.components)]
        relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Artefact", "")]
        relations += [("SPDXRef-Artefact", "CONTAINS", identity, "") for identity in self.inside]
        for component in components:
            relations += [("SPDXRef-Artefact", "CONTAINS", component.identity, "")] if component.inside else []
            relations += [(component.identity, "CONTAINS", identity, "") for identity in component.files]
        told = []
        for one, how, other, comment in relations + self.relations:
            told.append({"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other, **({"comment": comment} if comment else {})})
        texts = {name: text for component in components for name, text in component.licence.texts.items()}
        extracted = [{"licenseId": name, "extractedText": text, "name": name.removeprefix("LicenseRef-Debian-")} for name, text in sorted(texts.items())]
        return json.dumps({**self.head, **({"hasExtractedLicensingInfos": extracted} if extracted else {}),
                           "packages": [self.described(components), *(component.described() for component in components)],
                           "files": list(self.files.values()), "relationships": told}, indent=1) + "\n"
