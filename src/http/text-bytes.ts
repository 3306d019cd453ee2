const U = 'u'.charCodeAt(0);

/** Returns the size of a JSON text (UTF-8 bytes), counting each escape as its character. */
export function textBytesOf(json: string): number {
  let bytes = Buffer.byteLength(json);
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at + 2)) {
    bytes -= json.charCodeAt(at + 1) === U ? 6 - bytesOfUnit(json.slice(at + 2, at + 6)) : 1;
  }
  return bytes;
}

function bytesOfUnit(hex: string): number {
  const unit = Number.parseInt(hex, 16);
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}
