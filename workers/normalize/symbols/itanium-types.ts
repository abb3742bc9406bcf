/**
 * Types in symbols of the Itanium C++ ABI, which all compilers but Microsoft's use, written as
 * `c++filt` writes them. A type surrounds the name it belongs to (`int (*name)(char)`), so it is
 * two texts; an argument pack is a list of types.
 */
// cspell:ignore filt

import { cutPart, SymbolCursor } from './symbol-cursor.ts'

export interface TypeText {
  readonly left: string
  readonly right: string
}

/** One type, or those of a pack. */
export type Types = readonly TypeText[]

export function typeOf(left: string, right = ''): Types {
  return [{ left: cutPart(left), right: cutPart(right) }]
}

export function textOf(types: Types): string {
  if (types.length === 1) return cutPart(types[0]!.left + types[0]!.right)
  let text = ''
  for (const { left, right } of types) {
    if (left === '' && right === '') continue
    text += `${text === '' ? '' : ', '}${left}${right}`
    if (text.length > cutPart(text).length) break
  }
  return cutPart(text)
}

const builtinTypes: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  z: '...',
}

const longBuiltinTypes: Readonly<Record<string, string>> = {
  d: 'decimal64',
  e: 'decimal128',
  f: 'decimal32',
  h: 'half',
  i: 'char32_t',
  s: 'char16_t',
  u: 'char8_t',
  a: 'auto',
  c: 'decltype(auto)',
  n: 'decltype(nullptr)',
}

const standardNames: Readonly<Record<string, string>> = {
  a: 'std::allocator',
  b: 'std::basic_string',
  s: 'std::string',
  i: 'std::istream',
  o: 'std::ostream',
  d: 'std::iostream',
}

export abstract class ItaniumTypes extends SymbolCursor {
  protected readonly substitutions: Types[] = []
  /** Arguments of the function's own template, to which `T_` refers. */
  protected templateArguments: Types[] = []
  /** False inside a type, whose arguments `T_` never means. */
  protected isOwnName = true

  /** A class or enum. */
  protected abstract className(): string
  protected abstract expression(): string
  protected abstract templateArgumentList(): string

  protected type(): Types {
    return this.nested(() => this.#readType())
  }

  /** Types up to `E`, the end or a suffix, as the list of arguments of a function. */
  protected parameters(): string {
    const types: Types[] = []
    do types.push(this.type())
    while (
      !this.isAtEnd &&
      !/[E.@_Q]/.test(this.peek()) &&
      !/^[RO]E/.test(this.peek() + this.peek(1))
    )
    const text = types
      .map(textOf)
      .filter((each) => each !== '')
      .join(', ')
    return text === 'void' ? '' : cutPart(text)
  }

  #remember(types: Types): Types {
    this.substitutions.push(types)
    return types
  }

  #readType(): Types {
    const tag = this.peek()
    const builtin = builtinTypes[tag]
    if (builtin !== undefined) {
      this.at++
      return typeOf(builtin)
    }
    switch (tag) {
      case 'r':
      case 'V':
      case 'K':
        return this.#qualified()
      case 'P':
      case 'R':
      case 'O':
        this.at++
        return this.#pointerTo(tag === 'P' ? '*' : tag === 'R' ? '&' : '&&')
      case 'C':
      case 'G':
        this.at++
        return this.#remember(mapTypes(this.type(), tag === 'C' ? ' _Complex' : ' _Imaginary'))
      case 'F':
        return this.#remember(this.#functionType(''))
      case 'A':
        return this.#remember(this.#array())
      case 'M':
        return this.#remember(this.#memberPointer())
      case 'D':
        return this.#longType()
      case 'T':
        return this.#templateType()
      case 'S':
        return this.#substitutedType()
      case 'U':
        return this.#vendorQualified()
      case 'u':
        this.at++
        return this.#remember(typeOf(this.className()))
      default:
        if (tag !== 'N' && tag !== 'Z' && !this.isDigit()) this.fail()
        return this.#remember(typeOf(this.className()))
    }
  }

  #qualified(): Types {
    const words = this.qualifiers()
    // Of a function, the qualifiers stand behind the arguments.
    const isFunction = this.peek() === 'F'
    const inner = isFunction ? this.#functionType(words) : mapTypes(this.type(), words)
    return this.#remember(inner)
  }

  /** ` const` and others, in the order in which they are written. */
  protected qualifiers(): string {
    const isRestrict = this.eat('r')
    const isVolatile = this.eat('V')
    const isConst = this.eat('K')
    return `${isConst ? ' const' : ''}${isVolatile ? ' volatile' : ''}${isRestrict ? ' restrict' : ''}`
  }

  #pointerTo(sign: string): Types {
    const inner = this.type()
    return this.#remember(
      inner.flatMap(({ left, right }) => {
        if (right.startsWith(' [')) return typeOf(`${left} (${sign}`, `)${right}`)
        if (right.startsWith('(')) return typeOf(`${left}(${sign}`, `)${right}`)
        return typeOf(collapsed(left, sign), right)
      }),
    )
  }

  /** @param words qualifiers behind the arguments */
  #functionType(words: string): Types {
    this.expect('F')
    this.eat('Y')
    const [returned] = this.type()
    const parameters = this.parameters()
    const reference = this.eat('R') ? ' &' : this.eat('O') ? ' &&' : ''
    this.expect('E')
    return typeOf(
      `${returned?.left ?? ''} `,
      `(${parameters})${words}${reference}${returned?.right ?? ''}`,
    )
  }

  #array(): Types {
    this.expect('A')
    let size = ''
    if (this.isDigit()) size = String(this.decimal())
    else if (this.peek() !== '_') size = this.expression()
    this.expect('_')
    return this.type().flatMap(({ left, right }) =>
      typeOf(left, ` [${size}]${right.startsWith(' [') ? right.slice(1) : right}`),
    )
  }

  #memberPointer(): Types {
    this.expect('M')
    const owner = textOf(this.type())
    return this.type().flatMap(({ left, right }) =>
      right.startsWith('(')
        ? typeOf(`${left}(${owner}::*`, `)${right}`)
        : typeOf(`${left} ${owner}::*`, right),
    )
  }

  #longType(): Types {
    this.expect('D')
    const tag = this.next()
    const builtin = longBuiltinTypes[tag]
    if (builtin !== undefined) return typeOf(builtin)
    switch (tag) {
      case 'p':
        return this.#remember(this.type())
      case 't':
      case 'T': {
        const text = this.expression()
        this.expect('E')
        return this.#remember(typeOf(`decltype (${text})`))
      }
      case 'v': {
        const size = this.isDigit() ? String(this.decimal()) : this.expression()
        this.expect('_')
        return this.#remember(mapTypes(this.type(), ` __vector(${size})`))
      }
      case 'F': {
        const bits = this.decimal()
        if (this.eat('b')) return typeOf('std::bfloat16_t')
        this.expect('_')
        return typeOf(`_Float${bits}`)
      }
      case 'B':
      case 'U': {
        const bits = this.isDigit() ? String(this.decimal()) : this.expression()
        this.expect('_')
        return typeOf(`${tag === 'U' ? 'unsigned ' : ''}_BitInt(${bits})`)
      }
      case 'o':
        return this.#remember(this.#functionType(' noexcept'))
      case 'O':
      case 'w': {
        if (tag === 'O') this.expression()
        else while (this.peek() !== 'E') this.type()
        this.expect('E')
        return this.#remember(this.#functionType(''))
      }
      default:
        this.fail()
    }
  }

  #templateType(): Types {
    const elaborated = /^T[sue]/.test(this.peek() + this.peek(1))
    if (elaborated) {
      this.at += 2
      return this.#remember(typeOf(this.className()))
    }
    const types = this.#remember(this.templateParameter())
    if (this.peek() !== 'I') return types
    return this.#remember(typeOf(`${textOf(types)}${this.templateArgumentList()}`))
  }

  /** The parameter of a generic lambda has no argument. */
  protected templateParameter(): Types {
    this.expect('T')
    if (this.eat('L')) {
      this.decimal()
      this.expect('_')
    }
    const index = this.isDigit() ? this.decimal() + 1 : 0
    this.expect('_')
    return this.templateArguments[index] ?? typeOf('auto')
  }

  #substitutedType(): Types {
    if (this.startsWith('St')) return this.#remember(typeOf(this.className()))
    const types = this.substitution()
    if (this.peek() !== 'I') return types
    return this.#remember(typeOf(`${textOf(types)}${this.templateArgumentList()}`))
  }

  /** Other than `St`. */
  protected substitution(): Types {
    this.expect('S')
    const standard = standardNames[this.peek()]
    if (standard !== undefined) {
      this.at++
      const tagged = this.abiTags()
      return tagged === '' ? typeOf(standard) : this.#remember(typeOf(standard + tagged))
    }
    let index = 0
    if (this.peek() !== '_') {
      while (this.peek() !== '_') {
        const digit = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.indexOf(this.next())
        if (digit === -1 || index > 1e6) this.fail()
        index = index * 36 + digit
      }
      index++
    }
    this.expect('_')
    return this.substitutions[index] ?? this.fail()
  }

  /** `B5cxx11` is `[abi:cxx11]`. */
  protected abiTags(): string {
    let tags = ''
    while (this.eat('B')) tags += `[abi:${this.take(this.decimal())}]`
    return tags
  }

  #vendorQualified(): Types {
    this.expect('U')
    const word = this.take(this.decimal())
    const rest = this.peek() === 'I' ? this.templateArgumentList() : ''
    return this.#remember(mapTypes(this.type(), ` ${word}${rest}`))
  }
}

function mapTypes(types: Types, suffix: string): Types {
  return types.flatMap(({ left, right }) => typeOf(left + suffix, right))
}

/** A reference to a reference is one reference. */
function collapsed(left: string, sign: string): string {
  if (sign === '*' || !left.endsWith('&')) return left + sign
  return sign === '&' && left.endsWith('&&') ? left.slice(0, -1) : left
}
