"""Prints what Pillow reads of images: those inside the office files below the folders given, at
most 200 of each folder, and some that it writes itself. A line each: facts as JSON, a tab, the bytes
in base64."""
import base64
import hashlib
import io
import json
import pathlib
import sys
import zipfile

from PIL import Image, PngImagePlugin

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp")
TYPES = {"PNG": "png", "JPEG": "jpeg", "MPO": "jpeg", "GIF": "gif", "BMP": "bmp", "DIB": "bmp",
         "TIFF": "tiff", "WEBP": "webp"}
SIZE_MAX = 300_000
IMAGES_MAX = 200


def facts(source):
    with Image.open(io.BytesIO(source)) as image:
        if image.format not in TYPES:
            return None
        found = {"type": TYPES[image.format], "width": image.size[0], "height": image.size[1],
                 "frames": getattr(image, "n_frames", 1) if image.format != "MPO" else 1,
                 "exif": {}, "png": {}}
        exif = image.getexif()
        for tag, name in ((0x0112, "Orientation"), (0x010E, "ImageDescription"), (0x0131, "Software"),
                          (0x0110, "Model")):
            # Pillow also takes an orientation from XMP.
            if tag in exif and ("exif" in image.info or image.format == "TIFF"):
                found["exif"][name] = str(exif[tag]).rstrip("\0")
        if image.format == "PNG":
            image.load()
            found["png"] = {name: str(text) for name, text in getattr(image, "text", {}).items()
                            if not name.startswith("Raw profile")}
        return found


def written():
    """One of each kind, small."""
    def save(image, **options):
        out = io.BytesIO()
        image.save(out, **options)
        return out.getvalue()
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        yield save(Image.new(mode, (33, 7)), format="PNG")
    info = PngImagePlugin.PngInfo()
    info.add_text("Title", "plain")
    info.add_text("Long", "x" * 3000, zip=True)
    info.add_itxt("Comment", "\u00fcber", "en", "Kommentar")
    info.add_itxt("Packed", "y" * 500, zip=True)
    yield save(Image.new("RGB", (3, 4)), format="PNG", pnginfo=info)
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "a picture"
    exif[0x0131] = "pen"
    for form in ("JPEG", "PNG", "WEBP", "TIFF"):
        yield save(Image.new("RGB", (300, 200)), format=form, exif=exif)
    yield save(Image.new("L", (9, 8)), format="JPEG", progressive=True)
    yield save(Image.new("CMYK", (9, 8)), format="JPEG")
    yield save(Image.new("RGB", (17, 5)), format="WEBP", lossless=True)
    yield save(Image.new("RGBA", (17, 5), (1, 2, 3, 4)), format="WEBP")
    frames = [Image.new("RGB", (20, 10), (shade, 0, 0)) for shade in (0, 100, 200)]
    for form in ("GIF", "WEBP", "TIFF", "PNG"):
        yield save(frames[0], format=form, save_all=True, append_images=frames[1:])
    for mode in ("1", "L", "P", "RGB", "RGBA"):
        yield save(Image.new(mode, (31, 6)), format="BMP")
        if mode != "P":
            yield save(Image.new(mode, (31, 6)), format="TIFF")


def stored(folder):
    seen = set()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix not in (".docx", ".pptx", ".xlsx", ".odt", ".odp", ".ods") or not path.is_file():
            continue
        try:
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    if not member.filename.lower().endswith(SUFFIXES) or member.file_size > SIZE_MAX:
                        continue
                    source = archive.read(member)
                    digest = hashlib.sha256(source).digest()
                    if digest not in seen:
                        seen.add(digest)
                        yield source
                        if len(seen) == IMAGES_MAX:
                            return
        except Exception:
            continue


def main():
    for folder in [None, *sys.argv[1:]]:
        for source in written() if folder is None else stored(folder):
            try:
                found = facts(source)
            except Exception:
                continue
            if found is not None:
                print(json.dumps(found, sort_keys=True) + "\t" + base64.b64encode(source).decode())


main()
