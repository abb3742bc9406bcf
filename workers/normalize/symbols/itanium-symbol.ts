/**
 * Symbols of the Itanium C++ ABI: names of functions with their scopes, template arguments and
 * arguments. `_ZN4shop4Cart3addEi` is `shop::Cart::add(int)`.
 */
// cspell:ignore filt typeinfo vtable ynptk

import { ItaniumExpressions, type NameShape, operators } from './itanium-expressions.ts'
import { textOf, typeOf } from './itanium-types.ts'
import { cutPart, NotASymbol } from './symbol-cursor.ts'

interface Name {
  readonly text: string
  /** What stands behind the arguments of a method, such as ` const`. */
  readonly trailer: string
  /** Only an instance of a template names the type that it returns. */
  readonly hasReturnType: boolean
}

interface ScopeStep {
  readonly text: string
  /** Whether the scope is in the list of substitutions already, or never is. */
  readonly isKnown: boolean
  /** A constructor, a destructor or a conversion: an instance of it has no return type. */
  readonly returnsNothing?: boolean
}

const specialNames: Readonly<Record<string, string>> = {
  TI: 'typeinfo for ',
  TS: 'typeinfo name for ',
  TT: 'VTT for ',
  TV: 'vtable for ',
}
const specialObjects: Readonly<Record<string, string>> = {
  GR: 'reference temporary #0 for ',
  GV: 'guard variable for ',
  TH: 'TLS init function for ',
  TW: 'TLS wrapper function for ',
}

/** Expects the symbol behind `_Z`. Undefined for any other text. */
export function readItanium(symbol: string): string | undefined {
  return (
    new ItaniumSymbol(symbol, 'type').read() ??
    (/sr\d/.test(symbol) ? new ItaniumSymbol(symbol, 'names').read() : undefined)
  )
}

class ItaniumSymbol extends ItaniumExpressions {
  #hasParameters = false

  read(): string | undefined {
    try {
      const name = this.mangledName()
      // `_Z3add` without arguments may be a name that a person chose.
      if (!this.#hasParameters && /^(?:\d|L|St\d)/.test(this.text)) return undefined
      const rest = this.text.slice(this.at)
      if (rest === '') return name
      if (/^\.[\w.$@-]+$/.test(rest)) return `${name} [clone ${rest}]`
      if (/^_block_invoke(?:_\d+)?$/.test(rest)) return `invocation function for block in ${name}`
      return /^@{1,2}[A-Za-z]/.test(rest) ? name : undefined
    } catch (error) {
      if (error instanceof NotASymbol) return undefined
      throw error
    }
  }

  /** A function with its arguments, or another object. */
  protected override mangledName(shape: NameShape = 'whole'): string {
    const outer = { isOwnName: this.isOwnName, templateArguments: this.templateArguments }
    this.isOwnName = true
    const text = cutPart(this.nested(() => this.#specialName() ?? this.#function(shape)))
    this.isOwnName = outer.isOwnName
    // The scope of the function itself has the arguments to which its own types refer.
    if (!outer.isOwnName) this.templateArguments = outer.templateArguments
    return text
  }

  #specialName(): string | undefined {
    const code = this.peek() + this.peek(1)
    const type = specialNames[code]
    const object = specialObjects[code]
    if (type !== undefined) {
      this.at += 2
      return type + textOf(this.type())
    }
    if (object !== undefined) {
      this.at += 2
      const { text } = this.#name()
      if (code === 'GR') while (!this.isAtEnd && !this.eat('_')) this.at++
      return object + text
    }
    if (code === 'Th' || code === 'Tv') {
      this.at++
      this.#callOffset()
      return `${code === 'Th' ? 'non-virtual' : 'virtual'} thunk to ${this.mangledName()}`
    }
    if (code === 'Tc') {
      this.at += 2
      this.#callOffset()
      this.#callOffset()
      return `covariant return thunk to ${this.mangledName()}`
    }
    if (this.eat('GTt') || this.eat('GTn')) return `transaction clone for ${this.mangledName()}`
    return undefined
  }

  #callOffset(): void {
    if (this.eat('h')) this.#signedNumber()
    else {
      this.expect('v')
      this.#signedNumber()
      this.expect('_')
      this.#signedNumber()
    }
    this.expect('_')
  }

  #signedNumber(): void {
    this.eat('n')
    this.decimal()
  }

  #function(shape: NameShape): string {
    const { text, trailer, hasReturnType } = this.#name()
    if (this.isAtEnd || /[E.@]/.test(this.peek()) || this.startsWith('_block')) {
      return text + trailer
    }
    const returned = hasReturnType ? this.type()[0] : undefined
    const parameters = this.parameters()
    this.#hasParameters = true
    if (shape === 'name') return text
    const whole = `${text}(${parameters})${trailer}`
    // What a template requires of its arguments is not shown.
    if (this.eat('Q')) this.expression()
    if (returned === undefined || shape === 'scope') return whole
    const space = /[ (*&]$/.test(returned.left) && returned.right !== '' ? '' : ' '
    return `${returned.left}${space}${whole}${returned.right}`
  }

  protected override className(): string {
    const { isOwnName } = this
    this.isOwnName = false
    const { text } = this.#name()
    this.isOwnName = isOwnName
    return text
  }

  #name(): Name {
    return this.nested(() => {
      if (this.peek() === 'N') return this.#nestedName()
      if (this.peek() === 'Z') return this.#localName()
      if (this.peek() === 'S' && this.peek(1) !== 't') {
        const text = textOf(this.substitution())
        return { text: text + this.ownTemplateArgumentList(), trailer: '', hasReturnType: true }
      }
      const scope = this.eat('St') ? 'std::' : ''
      const isConversion = this.startsWith('cv')
      const text = scope + this.unqualifiedName()
      if (this.peek() !== 'I') return { text, trailer: '', hasReturnType: false }
      this.substitutions.push(typeOf(text))
      const whole = text + this.ownTemplateArgumentList()
      return { text: whole, trailer: '', hasReturnType: !isConversion }
    })
  }

  #nestedName(): Name {
    this.expect('N')
    // An explicit object parameter.
    this.eat('H')
    const qualifiers = this.qualifiers()
    const reference = this.eat('R') ? ' &' : this.eat('O') ? ' &&' : ''
    let scope = ''
    let last = ''
    let isTemplate = false
    let isKnown = true
    let returnsNothing = false
    while (!this.eat('E')) {
      isTemplate = this.peek() === 'I'
      if (isTemplate) {
        if (scope === '') this.fail()
        scope += this.ownTemplateArgumentList()
        isKnown = false
      } else {
        const step = this.#scopeStep(scope, last)
        last = step.text
        isKnown = step.isKnown
        returnsNothing = step.returnsNothing === true
        scope = scope === '' ? last : `${scope}::${last}`
      }
      scope = cutPart(scope)
      // A lambda in the initializer of a member is in the scope of that member.
      this.eat('M')
      if (!isKnown) this.substitutions.push(typeOf(scope))
    }
    if (scope === '') this.fail()
    // The whole name is no scope of another name; if it is a type, the type is remembered.
    if (!isKnown) this.substitutions.pop()
    const hasReturnType = isTemplate && !returnsNothing
    return { text: scope, trailer: qualifiers + reference, hasReturnType }
  }

  #scopeStep(scope: string, last: string): ScopeStep {
    const first = this.peek()
    const second = this.peek(1)
    if (first === 'S') {
      if (this.eat('St')) return { text: 'std', isKnown: true }
      const text = textOf(this.substitution())
      return { text: wholeNames[text] ?? text, isKnown: true }
    }
    if (first === 'T' && /[\d_L]/.test(second)) {
      return { text: textOf(this.templateParameter()), isKnown: false }
    }
    if (first === 'D' && /[tT]/.test(second)) return { text: textOf(this.type()), isKnown: true }
    if (first === 'C' && /[1-5I]/.test(second)) {
      this.at += second === 'I' ? 3 : 2
      if (second === 'I') this.type()
      return {
        text: ownName(scope, last) + this.abiTags(),
        isKnown: false,
        returnsNothing: true,
      }
    }
    if (first === 'D' && /[0-5]/.test(second)) {
      this.at += 2
      return {
        text: `~${ownName(scope, last)}${this.abiTags()}`,
        isKnown: false,
        returnsNothing: true,
      }
    }
    const returnsNothing = first === 'c' && second === 'v'
    return { text: this.unqualifiedName(), isKnown: false, returnsNothing }
  }

  #localName(): Name {
    this.expect('Z')
    const scope = this.mangledName('scope')
    this.expect('E')
    if (this.eat('s')) {
      this.#discriminator()
      return { text: `${scope}::string literal`, trailer: '', hasReturnType: false }
    }
    // A lambda that is the default of an argument, counted from the last one.
    const inDefault = this.eat('d') ? `{default arg#${this.#ordinal()}}::` : ''
    const { text, trailer, hasReturnType } = this.#name()
    this.#discriminator()
    return { text: cutPart(`${scope}::${inDefault}${text}`), trailer, hasReturnType }
  }

  #discriminator(): void {
    const found = /^_(?:\d|_\d{1,9}_)/.exec(this.text.slice(this.at, this.at + 12))
    if (found !== null) this.at += found[0].length
  }

  protected override unqualifiedName(): string {
    this.eat('L')
    if (this.isDigit()) return this.#sourceName() + this.abiTags()
    if (this.startsWith('Ut')) {
      this.at += 2
      return `{unnamed type#${this.#ordinal()}}`
    }
    if (this.eat('Ul')) {
      while (/^T[ynptk]/.test(this.peek() + this.peek(1))) this.templateParameterDeclaration()
      const parameters = this.parameters()
      this.expect('E')
      return `{lambda(${parameters})#${this.#ordinal()}}${this.abiTags()}`
    }
    if (this.eat('DC')) {
      const names: string[] = []
      while (!this.eat('E')) names.push(this.#sourceName())
      return `[${names.join(', ')}]`
    }
    return this.#operatorName() + this.abiTags()
  }

  /** Behind a lambda or a type without a name, from 1. */
  #ordinal(): number {
    const index = this.isDigit() ? this.decimal() + 2 : 1
    this.expect('_')
    return index
  }

  #sourceName(): string {
    const name = this.take(this.decimal())
    if (name === '') this.fail()
    return /^_GLOBAL_[._$]N/.test(name) ? '(anonymous namespace)' : name
  }

  #operatorName(): string {
    if (this.eat('cv')) return `operator ${textOf(this.type())}`
    if (this.eat('li')) return `operator"" ${this.#sourceName()}`
    if (this.peek() === 'v' && this.isDigit(1)) {
      this.at += 2
      return `operator ${this.#sourceName()}`
    }
    const sign = operators[this.take(2)] ?? this.fail()
    // As `c++filt` does, so that the sign and the arguments of a template can be told apart.
    const space = sign.endsWith('<') && this.peek() === 'I' ? ' ' : ''
    return `operator${sign}${space}`
  }
}

/** As scopes, short names of the standard library are written as the templates that they mean. */
const wholeNames: Readonly<Record<string, string>> = {
  'std::string': 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >',
  'std::istream': 'std::basic_istream<char, std::char_traits<char> >',
  'std::ostream': 'std::basic_ostream<char, std::char_traits<char> >',
  'std::iostream': 'std::basic_iostream<char, std::char_traits<char> >',
}

/** The name of the class for its constructor: `shop::Cart<int>` gives `Cart`. */
function ownName(scope: string, last: string): string {
  const name = last === '' ? scope : last
  const end = name.search(/[<[]/)
  const plain = end === -1 ? name : name.slice(0, end)
  return plain.slice(plain.lastIndexOf('::') === -1 ? 0 : plain.lastIndexOf('::') + 2)
}
