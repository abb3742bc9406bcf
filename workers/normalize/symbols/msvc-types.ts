/**
 * The types in symbols of Microsoft's C++ compiler. They are read to find where a name ends, and
 * written only as arguments of templates.
 */
import { cutPart, SymbolCursor } from './symbol-cursor.ts'

// cspell:ignore ABCDQRST Msvc QRST nullptr

const basicTypes: Readonly<Record<string, string>> = {
  C: 'signed char',
  D: 'char',
  E: 'unsigned char',
  F: 'short',
  G: 'unsigned short',
  H: 'int',
  I: 'unsigned int',
  J: 'long',
  K: 'unsigned long',
  M: 'float',
  N: 'double',
  O: 'long double',
  X: 'void',
  _J: 'long long',
  _K: 'unsigned long long',
  _N: 'bool',
  _P: 'auto',
  _Q: 'char8_t',
  _S: 'char16_t',
  _T: 'decltype(auto)',
  _U: 'char32_t',
  _W: 'wchar_t',
}

const pointers: Readonly<Record<string, string>> = {
  A: '&',
  B: '& volatile',
  P: '*',
  Q: '* const',
  R: '* volatile',
  S: '* const volatile',
}

/** `Q` to `T` are those of members. */
const qualifiers = ['', ' const', ' volatile', ' const volatile']

const backReferencesMax = 10

/** What a function, and a template by itself, can refer to by one digit. */
export interface BackReferences {
  readonly names: string[]
  readonly types: string[]
}

export abstract class MsvcTypes extends SymbolCursor {
  protected known: BackReferences = { names: [], types: [] }

  /** The name of a type, with its scopes. */
  protected abstract typeName(): string

  protected remember(list: string[], text: string): void {
    if (list.length < backReferencesMax && !list.includes(text)) list.push(text)
  }

  protected type(): string {
    return this.nested(() => cutPart(this.#type()))
  }

  #type(): string {
    if (this.eat('$$T')) return 'std::nullptr_t'
    if (this.eat('$$B')) return this.type()
    if (this.eat('$$C')) return this.#qualified()
    if (this.eat('$$A6')) return this.functionType()
    if (this.eat('$$Q')) return this.#pointer('&&')
    if (this.eat('$$R')) return this.#pointer('&& volatile')
    if (this.eat('?<auto>@@')) return 'auto'
    if (this.eat('?<decltype-auto>@@')) return 'decltype(auto)'
    // A type that a function returns.
    if (this.eat('?')) return this.#qualified()
    const unit = this.next()
    if (unit === 'T' || unit === 'U' || unit === 'V') return this.typeName()
    if (unit === 'W') {
      if (!/[0-7]/.test(this.next())) this.fail()
      return this.typeName()
    }
    if (unit === 'Y') return this.#array()
    const sign = pointers[unit]
    if (sign !== undefined) return this.#pointer(sign)
    const basic = basicTypes[unit === '_' ? unit + this.next() : unit]
    return basic ?? this.fail()
  }

  #qualified(): string {
    const qualified = this.#qualifiers()
    return this.type() + qualified
  }

  #pointer(sign: string): string {
    if (this.eat('6')) return `${this.functionType()}${sign}`
    if (this.eat('8')) {
      const owner = this.typeName()
      this.thisQualifiers()
      return `${this.functionType()} ${owner}::${sign}`
    }
    while (this.eat('E') || this.eat('I') || this.eat('F')) {
      // 64 bits wide, restricted, or unaligned.
    }
    const isOfMember = /[QRST]/.test(this.peek())
    const qualified = this.#qualifiers()
    if (!isOfMember) return `${this.type()}${qualified}${sign}`
    const owner = this.typeName()
    return `${this.type()}${qualified} ${owner}::${sign}`
  }

  #qualifiers(): string {
    const at = 'ABCDQRST'.indexOf(this.next())
    return at === -1 ? this.fail() : (qualifiers[at % qualifiers.length] ?? '')
  }

  #array(): string {
    const dimensions = this.number()
    if (dimensions < 1 || dimensions > 16) this.fail()
    let text = ''
    for (let index = 0; index < dimensions; index += 1) text += `[${this.number()}]`
    const qualified = this.eat('$$C') ? this.#qualifiers() : ''
    return `${this.type()}${qualified}${text}`
  }

  /** `const` and the like of the object of a method. */
  protected thisQualifiers(): void {
    while (this.eat('E') || this.eat('I') || this.eat('F') || this.eat('G') || this.eat('H')) {
      // As of a pointer; `&` and `&&`.
    }
    this.#qualifiers()
  }

  /** What it returns, and its arguments. */
  protected functionType(): string {
    if (!/[A-Z]/.test(this.next())) this.fail()
    const returned = this.eat('@') ? '' : this.type()
    const list = this.#parameters()
    if (!this.eat('Z') && !this.eat('_E')) this.fail()
    return `${returned}(${list})`
  }

  #parameters(): string {
    if (this.eat('X')) return ''
    const list: string[] = []
    while (!this.eat('@')) {
      if (this.eat('Z')) return cutPart([...list, '...'].join(', '))
      if (this.isDigit()) {
        list.push(this.known.types[Number(this.next())] ?? this.fail())
        continue
      }
      const start = this.at
      const type = this.type()
      const { types } = this.known
      // A single character is not shorter as a reference.
      if (this.at - start > 1 && types.length < backReferencesMax) types.push(type)
      list.push(type)
    }
    return cutPart(list.join(', '))
  }

  /** `0` to `9` are 1 to 10; others are hex digits from A to P up to an `@`. */
  protected number(): number {
    const isNegative = this.eat('?')
    let value = 0
    if (this.isDigit()) value = Number(this.next()) + 1
    else {
      for (let digits = 0; !this.eat('@'); digits += 1) {
        const digit = this.next().charCodeAt(0) - 0x41
        if (digit < 0 || digit > 15 || digits === 16) this.fail()
        value = value * 16 + digit
      }
    }
    return isNegative ? -value : value
  }
}
