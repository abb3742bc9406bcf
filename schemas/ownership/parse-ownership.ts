/**
 * Ownership rules: lines of a pattern and its owners, as in a CODEOWNERS file. The last rule that
 * matches an event decides. An invalid line is reported and skipped.
 *
 *   # a comment
 *   src/api/**                #server alice@example.com
 *   *.css                     @acme/frontend
 *   path:src/billing/         #billing
 *   module:com.example.*      #mobile
 *   url:https://shop.test/*   #shop
 *   tags.component:worker     #server
 */
export interface OwnershipRule {
  /** From 1. */
  readonly line: number
  readonly subject: OwnershipSubject
  readonly pattern: string
  /** In the order written; none: nobody owns what the rule matches. */
  readonly owners: readonly Owner[]
}

export type OwnershipSubject =
  | { readonly kind: 'path' | 'module' | 'url' }
  | { readonly kind: 'tag'; readonly key: string }

/** Fields of events that `tags.<key>` finds, too, unless the event has a tag of that name. */
export const ownershipFields = [
  'component',
  'environment',
  'release',
  'level',
  'logger',
  'transaction',
] as const

export type Owner =
  | { readonly kind: 'team'; readonly slug: string }
  /** Email address of a member, in lower case. */
  | { readonly kind: 'person'; readonly email: string }

export interface OwnershipProblem {
  readonly line: number
  /** What is wrong and how to write it. */
  readonly message: string
}

export interface Ownership {
  readonly rules: readonly OwnershipRule[]
  readonly problems: readonly OwnershipProblem[]
}

export const ownershipCharactersMax = 65_536
export const ownershipRulesMax = 1_000
export const ownersPerRuleMax = 10
export const ownershipPatternCharactersMax = 300
const tagKeyCharactersMax = 200
const emailCharactersMax = 320
/** Further problems are not reported. */
const problemsMax = 100

const teamPattern = /^#([a-z0-9][a-z0-9-]{0,49})$/i
const organizationTeamPattern = /^@[^@/\s]+\/([a-z0-9][a-z0-9-]{0,49})$/i
const emailPattern = /^[^@\s#\\]+@[^@\s#\\]+$/
const prefixPattern = /^(path|codeowners|module|url|tags\.([^:]+)):/
/** `[Section]` and `^[Section][2]` of GitLab. */
const sectionPattern = /^\^?\[[^\]]*\]/

export function parseOwnership(text: string): Ownership {
  const rules: OwnershipRule[] = []
  const problems: OwnershipProblem[] = []
  const report = (line: number, message: string) => {
    if (problems.length < problemsMax) problems.push({ line, message })
  }
  const read = text.slice(0, ownershipCharactersMax)
  if (read.length < text.length) {
    report(1, `the rules are longer than ${ownershipCharactersMax} characters; the rest is ignored`)
  }
  for (const [index, content] of read.split('\n').entries()) {
    const line = index + 1
    const rule = parseLine(content, line, (message) => report(line, message))
    if (rule === undefined) continue
    if (rules.length === ownershipRulesMax) {
      report(line, `there are more than ${ownershipRulesMax} rules; the rest is ignored`)
      break
    }
    rules.push(rule)
  }
  return { rules, problems }
}

/** `#slug` or the email address, as the rules name an owner. */
export function ownerName(owner: Owner): string {
  return owner.kind === 'team' ? `#${owner.slug}` : owner.email
}

type Report = (message: string) => void

function parseLine(content: string, line: number, report: Report): OwnershipRule | undefined {
  const words = wordsOf(content)
  const [first] = words
  if (first === undefined || first.isComment) return undefined
  if (sectionPattern.test(content.trim())) {
    report('sections are not supported; the line is ignored')
    return undefined
  }
  const found = first.text.startsWith('!') ? undefined : subjectOf(first.text)
  if (found === undefined) {
    report(
      first.text.startsWith('!')
        ? 'a pattern cannot be negated with `!`; write a later rule with other owners'
        : 'a prefix must be path:, module:, url: or tags.<key>: and be followed by a pattern',
    )
    return undefined
  }
  if (found.pattern.length > ownershipPatternCharactersMax) {
    report(`the pattern is longer than ${ownershipPatternCharactersMax} characters`)
    return undefined
  }
  const owners: Owner[] = []
  for (const word of words.slice(1)) {
    if (word.text === '#') break
    const owner = ownerOf(word.text)
    if (owner === undefined) {
      report(`unknown owner "${word.text.slice(0, 80)}": write #team-slug or an email address`)
    } else if (owners.length === ownersPerRuleMax) {
      report(`a rule has at most ${ownersPerRuleMax} owners`)
      break
    } else {
      owners.push(owner)
    }
  }
  // A line whose owners are all unknown must not take the issues from an earlier rule.
  const named = words.slice(1).findIndex(({ text }) => text === '#')
  const hasOwnerWords = named === -1 ? words.length > 1 : named > 0
  if (hasOwnerWords && owners.length === 0) return undefined
  return { line, subject: found.subject, pattern: found.pattern, owners }
}

interface Word {
  readonly text: string
  readonly isComment: boolean
}

/** Words separated by blanks. A backslash makes the next character an ordinary one. */
function wordsOf(content: string): Word[] {
  const words: Word[] = []
  let text = ''
  let isOpen = false
  let isComment = false
  for (let at = 0; at < content.length; at += 1) {
    const character = content[at] ?? ''
    if (character === ' ' || character === '\t' || character === '\r') {
      if (isOpen) words.push({ text, isComment })
      isOpen = false
      text = ''
      continue
    }
    if (!isOpen) isComment = character === '#' && words.length === 0
    if (isComment && !isOpen) return [...words, { text: '#', isComment }]
    isOpen = true
    if (character === '\\' && at + 1 < content.length) {
      at += 1
      text += content[at]
    } else {
      text += character
    }
  }
  if (isOpen) words.push({ text, isComment })
  return words
}

function subjectOf(
  word: string,
): { readonly subject: OwnershipSubject; readonly pattern: string } | undefined {
  const [prefix, name = '', key] = prefixPattern.exec(word) ?? []
  if (prefix === undefined) {
    return word.startsWith('tags.') && word.includes(':')
      ? undefined
      : { subject: { kind: 'path' }, pattern: word }
  }
  const pattern = word.slice(prefix.length)
  if (pattern === '') return undefined
  if (key !== undefined) {
    return key.length > tagKeyCharactersMax ? undefined : { subject: { kind: 'tag', key }, pattern }
  }
  return { subject: { kind: name === 'module' || name === 'url' ? name : 'path' }, pattern }
}

function ownerOf(word: string): Owner | undefined {
  const slug = (teamPattern.exec(word) ?? organizationTeamPattern.exec(word))?.[1]
  if (slug !== undefined) return { kind: 'team', slug: slug.toLowerCase() }
  if (word.length > emailCharactersMax || !emailPattern.test(word)) return undefined
  return { kind: 'person', email: word.toLowerCase() }
}
