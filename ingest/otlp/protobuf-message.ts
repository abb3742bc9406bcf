/**
 * Writes the few small messages of replies. Fields with the default value are omitted, as in
 * proto3.
 */
export function numberField(field: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.from([...varint(field << 3), ...varint(value)])
}

export function textField(field: number, text: string): Buffer {
  return text === '' ? Buffer.alloc(0) : messageField(field, Buffer.from(text))
}

export function messageField(field: number, message: Uint8Array): Buffer {
  const head = [...varint((field << 3) | 2), ...varint(message.length)]
  return Buffer.concat([Buffer.from(head), message])
}

/** @param value a whole number from 0. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let left = value
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80)
    left = Math.floor(left / 0x80)
  }
  bytes.push(left)
  return bytes
}
