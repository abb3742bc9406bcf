/**
 * Reads the parts of a symbol of Rust in the newer mangling (RFC 2603) that are no paths, types or
 * constants, and collects the readable name.
 */
import { decodePunycode } from './decode-punycode.ts'
import { partUnitsMax, SymbolCursor } from './symbol-cursor.ts'

/** Thrown when further text could not be seen. */
export class EnoughRead extends Error {}
const enoughRead = new EnoughRead('enough read')

const base62Digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

export abstract class RustV0Cursor extends SymbolCursor {
  protected out = ''
  #isHidden = false

  protected print(text: string): void {
    if (this.#isHidden) return
    this.out += text
    if (this.out.length > partUnitsMax) throw enoughRead
  }

  protected hidden(read: () => void): void {
    const was = this.#isHidden
    this.#isHidden = true
    read()
    this.#isHidden = was
  }

  protected hexDigits(): string {
    const end = this.text.indexOf('_', this.at)
    const digits = end === -1 ? 'no' : this.text.slice(this.at, end)
    if (!/^[0-9a-f]*$/.test(digits)) this.fail()
    this.at = end + 1
    return digits.replace(/^0+(?=.)/, '')
  }

  protected number(): string {
    const digits = this.hexDigits()
    if (digits === '') return '0'
    return digits.length > 16 ? `0x${digits}` : BigInt(`0x${digits}`).toString()
  }

  protected textOfHex(): string {
    return Buffer.from(this.hexDigits(), 'hex').toString().replace(/[\\"]/g, String.raw`\$&`)
  }

  /** Reads items up to `E`, and returns how many there were. */
  protected list(separator: string, read: () => void): number {
    let count = 0
    while (!this.eat('E')) {
      if (count > 0) this.print(separator)
      read()
      count++
    }
    return count
  }

  /** Only backwards, so that references cannot form a circle. */
  protected backReference(read: () => void): void {
    const start = this.at - 1
    const to = this.base62()
    if (to >= start) this.fail()
    // What is not printed was read before.
    if (this.#isHidden) return
    const back = this.at
    this.at = to
    read()
    this.at = back
  }

  protected optionalBase62(tag: string): number {
    return this.eat(tag) ? this.base62() + 1 : 0
  }

  protected base62(): number {
    if (this.eat('_')) return 0
    let value = 0
    while (!this.eat('_')) {
      const unit = this.next()
      const digit = base62Digits.indexOf(unit)
      if (digit === -1) this.fail()
      value = value * 62 + digit
      // Numbers of crates have up to 64 bits and are not shown.
      if (value > 2 ** 64) this.fail()
    }
    return value + 1
  }

  protected identifier(): string {
    const isPunycode = this.eat('u')
    const length = this.#identifierLength()
    this.eat('_')
    const name = this.take(length)
    if (!isPunycode) return name
    return decodePunycode(name.replace(/_(?=[^_]*$)/, '-')) ?? `punycode{${name}}`
  }

  #identifierLength(): number {
    // A leading zero is a whole number: the digits of the name follow.
    if (this.eat('0')) return 0
    return this.decimal()
  }
}
