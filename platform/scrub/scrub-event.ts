/**
 * Removes from the JSON of an event what must not be kept, in place and in one pass, before any
 * other code reads the event. Title, columns and stored payload therefore never contain it. Names
 * and texts that only describe the program (functions, modules, ids, versions) are kept, because
 * issues are made of them.
 */
import { CleanValue } from './clean-value.ts'
import type { ScrubbedText, Scrubber } from './scrubber.ts'
import type { KeyMeaning } from './sensitive-keys.ts'
import { removedText } from './spans.ts'

/** Attributes without personal data. */
// biome-ignore format: a list of words reads better in full lines
const plainAttributes: ReadonlySet<string> = new Set([
  'event_id', 'timestamp', 'received', 'platform', 'level', 'type', 'logger', 'checksum',
  'release', 'dist', 'environment', 'server_name', 'sdk', 'modules', 'debug_meta',
  'sentry.interfaces.Sdk', 'sentry.interfaces.DebugMeta',
])
// biome-ignore format: a list of words reads better in full lines
const plainFrameAttributes: ReadonlySet<string> = new Set([
  'function', 'raw_function', 'module', 'package', 'symbol', 'platform', 'instruction_addr',
  'symbol_addr', 'image_addr', 'addr_mode', 'lock', 'trust',
])
// biome-ignore format: a list of words reads better in full lines
const codeAttributes: ReadonlySet<string> = new Set([
  'context_line', 'pre_context', 'post_context', 'filename', 'abs_path',
])
/** Headers with secrets, for lists in which names and values alternate. */
// biome-ignore format: a list of words reads better in full lines
const secretHeaders: ReadonlySet<string> = new Set([
  'authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'x-auth-token',
  'x-csrf-token',
])
const pathCharactersMax = 200
const rulePrefix = 'removed by scrubbing: '

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Is told what was removed: the path of the field, and the rule that removed it. The place is the
 * value that was changed: the object or list that holds it, its key, and what it was before.
 */
export interface RemovalNotes {
  add(field: string, rule: string, holder?: object, key?: string | number, before?: unknown): void
}

export function scrubEvent(event: JsonObject, scrubber: Scrubber, notes: RemovalNotes): void {
  if (scrubber.isIdle) return
  scrubber.beginEvent()
  new EventWalk(scrubber, notes).run(event as Record<string, unknown>)
}

/** An object or a list of parsed JSON; members of both are accessed in the same way. */
type Container = Record<string, unknown>

class EventWalk {
  readonly #scrubber: Scrubber
  readonly #notes: RemovalNotes
  readonly #path: string[] = []

  constructor(scrubber: Scrubber, notes: RemovalNotes) {
    this.#scrubber = scrubber
    this.#notes = notes
  }

  run(event: Container): void {
    for (const name of Object.keys(event)) {
      if (plainAttributes.has(name)) continue
      this.#path.push(name)
      switch (name) {
        case 'request':
        case 'sentry.interfaces.Http':
          this.#request(event, name)
          break
        case 'tags':
          this.#pairs(event, name)
          break
        case 'user':
        case 'sentry.interfaces.User':
          this.#user(event, name)
          break
        default:
          this.#value(event, name)
      }
      this.#path.pop()
    }
  }

  #value(holder: Container, key: string): void {
    const value = holder[key]
    if (typeof value === 'string') {
      this.#take(holder, key, this.#scrubber.scrubText(value))
    } else if (typeof value === 'number') {
      // Among numbers, only card numbers are secret, and they have at least 13 digits.
      if (value >= 1e12) this.#number(holder, key, value)
    } else if (typeof value === 'object' && value !== null) {
      if (Array.isArray(value)) this.#list(value)
      else if (!(value instanceof CleanValue)) this.#object(value as Container)
    }
  }

  #object(object: Container): void {
    const isFrame = isFrameLike(object)
    for (const key of Object.keys(object)) {
      if (isFrame && plainFrameAttributes.has(key)) continue
      this.#path.push(key)
      if (isFrame && codeAttributes.has(key)) this.#code(object, key)
      else this.#member(object, key, key)
      this.#path.pop()
    }
  }

  #member(holder: Container, key: string, name: string): void {
    const value = holder[key]
    if (value === null || typeof value === 'boolean') return
    const meaning = this.#scrubber.meaningOf(name)
    // A name such as `total_tokens` with a number is a count and no secret.
    const isNumber =
      typeof value === 'number' || (typeof value === 'string' && isShortNumber(value))
    const isCount = isNumber && /tokens$/i.test(name)
    if (meaning === 'none' || isCount) this.#value(holder, key)
    else if (typeof value === 'string' && isPlainValue(value, meaning)) return
    else this.#remove(holder, key, meaning)
  }

  #list(list: unknown[]): void {
    const holder = list as unknown as Container
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index]
      if (item instanceof CleanValue) continue
      const key = index as unknown as string
      if (typeof item === 'string' && index > 0 && this.#isAfterHeader(list, index)) {
        this.#remove(holder, key, 'secret')
      } else if (isNamedValue(item)) {
        this.#named(item)
      } else {
        this.#value(holder, key)
      }
    }
  }

  #isAfterHeader(list: readonly unknown[], index: number): boolean {
    const name = list[index - 1]
    if (typeof name !== 'string' || name.length < 5 || name.length > 40) return false
    if (name.startsWith('--') && !name.includes('=')) {
      // An option of a command line, followed by its value.
      const meaning = this.#scrubber.meaningOf(name)
      return meaning === 'secret' || meaning === 'password'
    }
    return isSecretHeader(name) && this.#scrubber.meaningOf(name) !== 'none'
  }

  /** `{"name": "Authorization", "value": "…"}`, the form of headers in HTTP archives (HAR). */
  #named(item: Container): void {
    const name = String(item['name'] ?? item['key'])
    this.#path.push(name)
    this.#member(item, 'value', name)
    this.#path.pop()
    for (const key of Object.keys(item)) if (key !== 'value') this.#value(item, key)
  }

  #request(event: Container, name: string): void {
    const request = readObject(event[name]) as Container | undefined
    if (request === undefined) {
      this.#value(event, name)
      return
    }
    for (const key of Object.keys(request)) {
      this.#path.push(key)
      if (key === 'cookies') this.#cookies(request)
      else if (key === 'headers' || key === 'query_string') this.#pairs(request, key)
      else this.#value(request, key)
      this.#path.pop()
    }
  }

  /** Keeps the names of cookies and removes every value. */
  #cookies(request: Container): void {
    const { cookies } = request
    const meaning = this.#scrubber.meaningOf('cookies')
    if (meaning === 'none') {
      this.#pairs(request, 'cookies')
    } else if (typeof cookies === 'string') {
      request['cookies'] = cookies.replace(/=[^;]*/g, `=${removedText}`)
      this.#note('cookies', request, 'cookies', cookies)
    } else if (Array.isArray(cookies)) {
      for (const pair of cookies) {
        if (Array.isArray(pair) && pair.length > 1)
          this.#remove(pair as unknown as Container, '1', meaning)
        else if (isNamedValue(pair)) this.#remove(pair, 'value', meaning)
      }
    } else {
      this.#remove(request, 'cookies', meaning)
    }
  }

  /** Scrubs a map or a list of pairs by the name of each pair. */
  #pairs(holder: Container, key: string): void {
    const value = holder[key]
    if (!Array.isArray(value)) {
      this.#value(holder, key)
      return
    }
    for (const pair of value) {
      if (Array.isArray(pair) && typeof pair[0] === 'string') {
        this.#path.push(pair[0])
        this.#member(pair as unknown as Container, '1', pair[0])
        this.#path.pop()
      } else if (isNamedValue(pair)) this.#named(pair)
    }
  }

  #user(event: Container, name: string): void {
    const user = readObject(event[name]) as Container | undefined
    if (
      user !== undefined &&
      this.#scrubber.removesAddresses &&
      typeof user['ip_address'] === 'string'
    ) {
      // `{{auto}}` requests the client address of the connection, which is not stored either.
      const before = user['ip_address']
      user['ip_address'] = null
      this.#note('IP address', user, 'ip_address', before)
    }
    this.#value(event, name)
  }

  #code(frame: Container, key: string): void {
    const value = frame[key]
    if (typeof value === 'string') {
      // The URL of a web page may have a query with names and values.
      const isAddress = key !== 'context_line' && value.includes('?')
      this.#take(
        frame,
        key,
        isAddress ? this.#scrubber.scrubText(value) : this.#scrubber.scrubCode(value),
      )
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        const line: unknown = value[index]
        if (typeof line !== 'string') continue
        this.#take(
          value as unknown as Container,
          index as unknown as string,
          this.#scrubber.scrubCode(line),
        )
      }
    }
  }

  #number(holder: Container, key: string, value: number): void {
    const text = String(value)
    const scrubbed = this.#scrubber.scrubText(text)
    if (scrubbed !== text) this.#take(holder, key, scrubbed)
  }

  #take(holder: Container, key: string, scrubbed: string | ScrubbedText): void {
    if (typeof scrubbed === 'string') return
    const before = holder[key]
    holder[key] = scrubbed.text
    for (const rule of scrubbed.rules) this.#note(rule, holder, key, before)
  }

  /** Removes every text and number below the key; the names stay visible. */
  #remove(holder: Container, key: string, meaning: KeyMeaning): void {
    if (holder[key] instanceof CleanValue) holder[key] = holder[key].open()
    const value = holder[key]
    if (typeof value === 'string' || typeof value === 'number') {
      if (value === '' || value === removedText) return
      holder[key] = removedText
      this.#note(meaning === 'address' ? 'IP address' : 'name of its key', holder, key, value)
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.keys(value)) this.#remove(value as Container, inner, meaning)
    }
  }

  #note(rule: string, holder: object, key: string, before: unknown): void {
    const path = this.#path.join('.')
    const field = path.length > pathCharactersMax ? `${path.slice(0, pathCharactersMax)}…` : path
    this.#notes.add(field, `${rulePrefix}${rule}`, holder, key, before)
  }
}

/** Whether a text of a list names a header with a secret, which the text after it then is. */
export function isSecretHeader(text: string): boolean {
  return secretHeaders.has(text.toLowerCase())
}

/** Tags are texts, so a count arrives as one. */
function isShortNumber(text: string): boolean {
  return text.length <= 9 && /^\d+$/.test(text)
}

// biome-ignore format: a list of words reads better in full lines
const plainValues: ReadonlySet<string> = new Set([
  'true', 'false', 'null', 'undefined', 'none', 'nil', 'yes', 'no', 'on', 'off',
])
/** How one logs in, and the option `credentials` of a request of a browser. */
// biome-ignore format: a list of words reads better in full lines
const kindsOfSecrets: ReadonlySet<string> = new Set([
  'basic', 'bearer', 'digest', 'ntlm', 'negotiate', 'jwt', 'oauth', 'oauth2', 'oidc', 'saml',
  'ldap', 'anonymous', 'include', 'omit', 'same-origin',
])

function isPlainValue(text: string, meaning: KeyMeaning): boolean {
  if (text.length > 11) return false
  const word = text.toLowerCase()
  return plainValues.has(word) || (meaning === 'secret' && kindsOfSecrets.has(word))
}

/** The rule of a note without the words that all notes of scrubbing begin with. */
export function scrubRuleOf(noteRule: string): string {
  return noteRule.startsWith(rulePrefix) ? noteRule.slice(rulePrefix.length) : noteRule
}

function readObject(value: unknown): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as JsonObject
}

function isFrameLike(object: Container): boolean {
  return (
    object['function'] !== undefined ||
    object['filename'] !== undefined ||
    object['instruction_addr'] !== undefined ||
    object['abs_path'] !== undefined
  )
}

function isNamedValue(item: unknown): item is Container {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const { value, name, key } = item as Container
  return value !== undefined && (typeof name === 'string' || typeof key === 'string')
}
