/**
 * Reads a memory address from `0x…` or decimal text, or from a number. Returns undefined for
 * anything else.
 */
export function readAddress(value: unknown): bigint | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && 0 <= value ? BigInt(value) : undefined
  }
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (!/^(?:0x[0-9a-f]{1,16}|\d{1,20})$/i.test(text)) return undefined
  return BigInt(text.toLowerCase())
}

/**
 * Formats an address for storage: `0x` and lowercase hex without leading zeros; empty when absent.
 */
export function addressText(value: unknown): string {
  const address = readAddress(value)
  return address === undefined ? '' : `0x${address.toString(16)}`
}
