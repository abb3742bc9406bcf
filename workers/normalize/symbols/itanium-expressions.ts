/** Template arguments and expressions in symbols of the Itanium C++ ABI. */
// cspell:ignore ynptk

import { ItaniumTypes, type Types, textOf, typeOf } from './itanium-types.ts'
import { cutPart } from './symbol-cursor.ts'

/** Codes of operators with their signs. Prefix operators are in `unary`, too. */
export const operators: Readonly<Record<string, string>> = {
  aN: '&=',
  aS: '=',
  aa: '&&',
  ad: '&',
  an: '&',
  cl: '()',
  cm: ',',
  co: '~',
  dV: '/=',
  de: '*',
  dv: '/',
  eO: '^=',
  eo: '^',
  eq: '==',
  ge: '>=',
  gt: '>',
  ix: '[]',
  lS: '<<=',
  le: '<=',
  ls: '<<',
  lt: '<',
  mI: '-=',
  mL: '*=',
  mi: '-',
  ml: '*',
  mm: '--',
  ne: '!=',
  ng: '-',
  nt: '!',
  oR: '|=',
  oo: '||',
  or: '|',
  pL: '+=',
  pl: '+',
  pm: '->*',
  pp: '++',
  ps: '+',
  pt: '->',
  qu: '?',
  rM: '%=',
  rS: '>>=',
  rm: '%',
  rs: '>>',
  ss: '<=>',
  aw: ' co_await',
  da: ' delete[]',
  dl: ' delete',
  na: ' new[]',
  nw: ' new',
}

const unary = new Set(['ad', 'aw', 'co', 'de', 'ng', 'nt', 'ps'])
const castWords: Readonly<Record<string, string>> = {
  cc: 'const_cast',
  dc: 'dynamic_cast',
  rc: 'reinterpret_cast',
  sc: 'static_cast',
}
const ofType: Readonly<Record<string, string>> = { at: 'alignof', st: 'sizeof', ti: 'typeid' }
const ofExpression: Readonly<Record<string, string>> = {
  az: 'alignof',
  nx: 'noexcept',
  sz: 'sizeof',
  te: 'typeid',
}

const literalSuffixes: Readonly<Record<string, string>> = {
  int: '',
  long: 'l',
  'long long': 'll',
  'unsigned int': 'u',
  'unsigned long': 'ul',
  'unsigned long long': 'ull',
}

/** What GCC and Clang write between `sr` and the name of a member. */
export type UnresolvedScope = 'type' | 'names'

/** A function with its return type, without it, or without its arguments, too. */
export type NameShape = 'whole' | 'scope' | 'name'

export abstract class ItaniumExpressions extends ItaniumTypes {
  readonly #scopes: UnresolvedScope

  constructor(text: string, scopes: UnresolvedScope) {
    super(text)
    this.#scopes = scopes
  }

  protected abstract mangledName(shape: NameShape): string
  protected abstract unqualifiedName(): string

  protected override templateArgumentList(): string {
    return this.#argumentList(() => {})
  }

  /** The arguments of the function's own template. */
  protected ownTemplateArgumentList(): string {
    if (!this.isOwnName) return this.templateArgumentList()
    const own: Types[] = []
    this.templateArguments = own
    return this.#argumentList((types) => own.push(types))
  }

  #argumentList(keep: (types: Types) => void): string {
    this.expect('I')
    const texts: string[] = []
    while (!this.eat('E')) {
      const types = this.nested(() => this.#argument())
      if (types === undefined) continue
      keep(types)
      const text = textOf(types)
      if (text !== '') texts.push(text)
    }
    const list = texts.join(', ')
    return cutPart(`<${list}${list.endsWith('>') ? ' ' : ''}>`)
  }

  /** Undefined for the declaration of a parameter, which is no argument. */
  #argument(): Types | undefined {
    switch (this.peek()) {
      case 'L':
        return typeOf(this.#literal())
      case 'X': {
        this.at++
        const text = this.expression()
        this.expect('E')
        return typeOf(text)
      }
      case 'I':
      case 'J': {
        this.at++
        const pack: Types[] = []
        while (!this.eat('E')) pack.push(this.nested(() => this.#argument()) ?? [])
        return pack.flat()
      }
      case 'T':
        if (!/[ynptk]/.test(this.peek(1))) return this.type()
        this.templateParameterDeclaration()
        return undefined
      default:
        return this.type()
    }
  }

  protected templateParameterDeclaration(): void {
    this.nested(() => {
      this.expect('T')
      const kind = this.next()
      if (kind === 'n') this.type()
      else if (kind === 'k') this.className()
      else if (kind === 't') {
        while (!this.eat('E')) this.templateParameterDeclaration()
      } else if (kind === 'p') this.templateParameterDeclaration()
      else if (kind !== 'y') this.fail()
    })
  }

  /** `Lb1E`, `Li42E`, `LDnE`, or the address of a function: `L_Z3addvE`. */
  #literal(): string {
    this.expect('L')
    if (this.eat('_Z') || this.eat('Z')) {
      const name = this.mangledName('name')
      this.expect('E')
      return name
    }
    const type = textOf(this.type())
    const end = this.text.indexOf('E', this.at)
    if (end === -1) this.fail()
    const digits = this.text.slice(this.at, end)
    if (!/^n?[0-9a-z]*(?:_[0-9a-z]+)?$/.test(digits)) this.fail()
    this.at = end + 1
    const value = digits.replace(/^n/, '-')
    if (type === 'bool') return value === '1' ? 'true' : 'false'
    if (value === '') return type
    const suffix = literalSuffixes[type]
    return suffix === undefined ? `(${type})${value}` : value + suffix
  }

  protected override expression(): string {
    return cutPart(this.nested(() => this.#readExpression()))
  }

  #readExpression(): string {
    const first = this.peek()
    if (first === 'L') return this.#literal()
    if (first === 'T') return textOf(this.templateParameter())
    if (first === 'f') return this.#functionParameter()
    if (this.isDigit() || this.startsWith('on')) return this.#unresolvedBase()
    const code = this.take(2)
    const cast = castWords[code]
    if (cast !== undefined) {
      const type = textOf(this.type())
      return `${cast}<${type}>(${this.expression()})`
    }
    const typed = ofType[code]
    if (typed !== undefined) return `${typed} (${textOf(this.type())})`
    const word = ofExpression[code]
    if (word !== undefined) return `${word} (${this.expression()})`
    switch (code) {
      case 'cv': {
        const type = textOf(this.type())
        return `(${type})(${this.eat('_') ? this.#expressions().join(', ') : this.expression()})`
      }
      case 'cl':
      case 'cp': {
        const [called = '', ...rest] = this.#expressions()
        return `${called}(${rest.join(', ')})`
      }
      case 'il':
        return `{${this.#expressions().join(', ')}}`
      case 'tl':
        return `${textOf(this.type())}{${this.#expressions().join(', ')}}`
      case 'gs':
        return `::${this.#readExpression()}`
      case 'sr':
        return this.#scoped()
      case 'dt':
      case 'pt': {
        const object = this.expression()
        return `${object}${code === 'dt' ? '.' : '->'}${this.#member()}`
      }
      case 'sZ':
      case 'sp': {
        const pack = this.peek() === 'T' ? textOf(this.templateParameter()) : this.expression()
        return code === 'sp' ? `${pack}...` : `sizeof...(${pack})`
      }
      case 'sP': {
        while (!this.eat('E')) this.nested(() => this.#argument())
        return 'sizeof...()'
      }
      case 'qu':
        return `(${this.expression()}) ? (${this.expression()}) : (${this.expression()})`
      case 'tw':
        return `throw ${this.expression()}`
      case 'tr':
        return 'throw'
      case 'fl':
      case 'fr':
        return `(${this.#operatorSign()}...${this.expression()})`
      case 'fL':
      case 'fR': {
        const sign = this.#operatorSign()
        return `(${this.expression()}${sign}...${sign}${this.expression()})`
      }
      case 'nw':
      case 'na':
        return this.#newExpression()
      case 'dl':
      case 'da':
        return `delete ${this.expression()}`
      default:
        return this.#operation(code)
    }
  }

  #operation(code: string): string {
    const sign = operators[code] ?? this.fail()
    if (unary.has(code)) {
      const operand = this.expression()
      return /^[\w:]+$/.test(operand) ? sign + operand : `${sign}(${operand})`
    }
    if (code === 'pp' || code === 'mm') {
      return this.eat('_') ? `${sign}(${this.expression()})` : `(${this.expression()})${sign}`
    }
    const left = this.expression()
    const right = this.expression()
    return code === 'ix' ? `(${left})[${right}]` : `(${left})${sign}(${right})`
  }

  #operatorSign(): string {
    return operators[this.take(2)] ?? this.fail()
  }

  #expressions(): string[] {
    const found: string[] = []
    while (!this.eat('E')) found.push(this.expression())
    return found
  }

  #newExpression(): string {
    while (!this.eat('_')) this.expression()
    const type = textOf(this.type())
    if (this.eat('E')) return `new ${type}`
    this.expect('pi')
    return `new ${type}(${this.#expressions().join(', ')})`
  }

  /** `fp_`, `fp0_`, `fL0p_`, `fpT` (this). */
  #functionParameter(): string {
    const found = /^f(?:pT|(?:L\d{1,4})?p[rVK]*(\d{0,4})_)/.exec(
      this.text.slice(this.at, this.at + 16),
    )
    if (found === null) this.fail()
    this.at += found[0].length
    return found[0] === 'fpT' ? 'this' : `{parm#${found[1] === '' ? 1 : Number(found[1]) + 2}}`
  }

  #member(): string {
    if (this.startsWith('sr')) return this.expression()
    return this.peek() === 'T' ? textOf(this.templateParameter()) : this.#unresolvedBase()
  }

  /** `sr` and the type or the names before the last one. */
  #scoped(): string {
    let scope: string
    if (this.eat('N')) {
      scope = textOf(this.type())
      while (!this.eat('E')) scope += `::${this.#simpleName()}`
    } else if (this.#scopes === 'names' && this.isDigit()) {
      scope = this.#simpleName()
      while (!this.eat('E')) scope += `::${this.#simpleName()}`
    } else scope = textOf(this.type())
    return `${scope}::${this.#unresolvedBase()}`
  }

  #simpleName(): string {
    const name = this.unqualifiedName()
    return this.peek() === 'I' ? name + this.templateArgumentList() : name
  }

  #unresolvedBase(): string {
    if (this.eat('dn')) return `~${this.isDigit() ? this.#simpleName() : textOf(this.type())}`
    this.eat('on')
    return this.#simpleName()
  }
}
