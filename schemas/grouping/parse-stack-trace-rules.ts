/**
 * Stack-trace rules of a project, one a line: matchers of a frame and what is done with it. All
 * rules are applied in their order, so a later one wins.
 *
 *   # a comment
 *   path:**\/vendor/acme/**                 +app     the frame is the user's own code
 *   module:com.example.generated.*          -app     it is a library's
 *   function:retry_*                        -group   it is not used for grouping
 *   function:panic_handler                  ^-group  nor are those that it called; v: its callers
 *   [ function:dispatch ] | module:handlers -app     only when that frame called it
 *   function:poll | [ function:wake ]       -group   only when it called that frame
 */
import {
  matchersPerRuleMax,
  parseMatcher,
  type RuleMatcher,
  short,
  stackKeys,
} from './rule-matcher.ts'
import { type ParsedRules, parseLines, type RuleLine } from './rule-text.ts'
import { RuleError, type RuleWord, ruleWords } from './rule-words.ts'

export interface StackTraceRule extends RuleLine {
  readonly matchers: readonly RuleMatcher[]
  /** Of the frame that called it, and of the frame that it called. */
  readonly caller: readonly RuleMatcher[]
  readonly callee: readonly RuleMatcher[]
  readonly actions: readonly StackAction[]
}

export interface StackAction {
  readonly what: 'app' | 'group'
  readonly value: boolean
  /** `called`: all frames nearer the crash; `callers`: all on the other side. */
  readonly where: 'frame' | 'called' | 'callers'
}

const actionPattern = /^([v^]?)([+-])(app|group)$/
/** Also actions of other products, which are not done here. */
const actionLike = /^(?:[v^]?[+-]|(?:category|max-frames|min-frames|invert-stacktrace)=)/
const actionsMax = 8

export function parseStackTraceRules(text: string): ParsedRules<StackTraceRule> {
  return parseLines(text, parseLine)
}

function parseLine(content: string, place: RuleLine): StackTraceRule {
  const words = new Words(ruleWords(content, 0, { separators: '' }).flatMap(withoutBrackets))
  const start = words.next?.at ?? 1
  const caller = words.next !== undefined && isSign(words.next, '[') ? readBracket(words) : []
  if (caller.length > 0) words.expect('|', 'between the caller and the frame')
  const matchers = readMatchers(words)
  const hasCallee = words.next !== undefined && isSign(words.next, '|')
  if (hasCallee) words.take()
  const callee = hasCallee ? readBracket(words) : []
  if (matchers.length === 0) {
    throw new RuleError(words.next?.at ?? start, 'a rule needs a matcher of the frame here')
  }
  const count = matchers.length + caller.length + callee.length
  if (count > matchersPerRuleMax) {
    throw new RuleError(start, `a rule has at most ${matchersPerRuleMax} matchers`)
  }
  return { ...place, matchers, caller, callee, actions: readActions(words, content) }
}

/** The words of a line, from the first to the last. */
class Words {
  readonly #words: readonly RuleWord[]
  #index = 0

  constructor(words: readonly RuleWord[]) {
    this.#words = words
  }

  get next(): RuleWord | undefined {
    return this.#words[this.#index]
  }

  /** Where an error is told when the line ends too early. */
  get at(): number {
    const last = this.#words.at(-1)
    return this.next?.at ?? (last === undefined ? 1 : last.at + last.text.length)
  }

  take(): RuleWord {
    const word = this.next
    if (word === undefined) throw new RuleError(this.at, form)
    this.#index += 1
    return word
  }

  expect(sign: string, where: string): void {
    const { at } = this
    const word = this.next
    if (word === undefined || !isSign(word, sign)) {
      throw new RuleError(at, `\`${sign}\` is missing ${where}: ${form}`)
    }
    this.#index += 1
  }
}

const form =
  'the form is [ caller ] | matchers | [ called frame ] actions, where both brackets may be left out'

function isSign({ text, isQuoted }: RuleWord, sign: string): boolean {
  return text === sign && !isQuoted
}

function readBracket(words: Words): readonly RuleMatcher[] {
  words.expect('[', 'before the matchers of the other frame')
  const { at } = words
  const matchers = readMatchers(words)
  if (matchers.length === 0) throw new RuleError(at, 'the brackets hold no matcher')
  words.expect(']', 'behind the matchers of the other frame')
  return matchers
}

function readMatchers(words: Words): readonly RuleMatcher[] {
  const matchers: RuleMatcher[] = []
  for (;;) {
    const word = words.next
    if (word === undefined) return matchers
    if (!word.isQuoted && (/^[[\]|]$/.test(word.text) || actionLike.test(word.text)))
      return matchers
    matchers.push(parseMatcher(words.take(), stackKeys))
  }
}

function readActions(words: Words, content: string): readonly StackAction[] {
  const first = words.next
  if (first === undefined) {
    const end = content.trimEnd().length + 1
    throw new RuleError(end, 'a rule needs an action at its end: +app, -app, +group or -group')
  }
  const actions: StackAction[] = []
  while (words.next !== undefined) {
    const word = words.take()
    const action = word.isQuoted ? null : actionPattern.exec(word.text)
    if (action === null) throw new RuleError(word.at, noAction(word))
    actions.push(actionOf(action))
  }
  if (actions.length > actionsMax) {
    throw new RuleError(first.at, `a rule has at most ${actionsMax} actions`)
  }
  return actions
}

function noAction({ text, isQuoted }: RuleWord): string {
  if (isQuoted || !actionLike.test(text)) {
    return /^[[\]|]$/.test(text) ? form : `only actions follow here, and not "${short(text)}"`
  }
  return `"${short(text)}" is no action; there are: +app, -app, +group, -group`
}

function actionOf([, sign, value, what]: RegExpExecArray): StackAction {
  return {
    what: what as StackAction['what'],
    value: value === '+',
    where: sign === '^' ? 'called' : sign === 'v' ? 'callers' : 'frame',
  }
}

/** Brackets and bars need no blanks beside them: `[function:a]|` is four words. */
function withoutBrackets(word: RuleWord): RuleWord[] {
  const { text, at, isQuoted } = word
  if (isQuoted || text.length < 2) return [word]
  const words: RuleWord[] = []
  let start = 0
  let end = text.length
  while (start < end && '[|'.includes(text[start]!)) {
    words.push({ text: text[start]!, at: at + start, isQuoted: false })
    start += 1
  }
  const behind: RuleWord[] = []
  while (start < end && '|]'.includes(text[end - 1]!)) {
    end -= 1
    behind.unshift({ text: text[end]!, at: at + end, isQuoted: false })
  }
  const inner = text.slice(start, end)
  return [...words, ...(inner === '' ? [] : [{ text: inner, at: at + start, isQuoted }]), ...behind]
}
