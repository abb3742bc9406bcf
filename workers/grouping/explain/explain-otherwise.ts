/** Says what would have made another issue of an event, and what would not. */
import type { Evidence, GroupingPath } from '../evidence.ts'
import type { Trace } from '../trace.ts'

export function otherwise(evidence: Evidence, trace: Trace): string {
  const { causes, rest } = reasonsOf(evidence.basePath, evidence, trace)
  const made = 'would have made another issue'
  const list = causes.length === 0 ? 'Another value of one of these pieces' : oneOf(causes)
  const added =
    evidence.path === 'hybrid-fingerprint-rule' ? 'what the rule adds' : 'the fingerprint'
  return evidence.path.startsWith('hybrid-')
    ? `Another value of ${added} ${made}, and so would ${lowerFirst(list)}. ${rest}`.trimEnd()
    : `${upperFirst(list)} ${made}. ${rest}`.trimEnd()
}

interface Reasons {
  readonly causes: readonly string[]
  /** A sentence about what does not count. */
  readonly rest: string
}

const nothingElse = 'Nothing else counts.'

function reasonsOf(path: GroupingPath, evidence: Evidence, trace: Trace): Reasons {
  const frames = ['another function or module in these frames', 'another order of them']
  switch (path) {
    case 'fingerprint':
      return { causes: ['another fingerprint'], rest: nothingElse }
    case 'fingerprint-rule':
      return { causes: ruleCauses(evidence), rest: nothingElse }
    case 'checksum':
      return { causes: ['another checksum'], rest: nothingElse }
    case 'exception-stack':
      return { causes: [...types(evidence), ...frames], rest: notCounted(evidence) }
    case 'thread-stack':
    case 'stack':
      return {
        causes: evidence.exceptionCount === 0 ? frames : [...types(evidence), ...frames],
        rest: notCounted(evidence),
      }
    case 'minified':
      return {
        causes: [...types(evidence), message(trace), 'another file of the script'],
        rest: 'Other functions, lines and columns would not.',
      }
    case 'exception-value':
      return { causes: [...types(evidence), message(trace)], rest: sameMessage(trace) }
    case 'security':
      return {
        causes: ['another directive', 'another blocked host'],
        rest: 'The page would not.',
      }
    case 'message':
      return { causes: [message(trace)], rest: sameMessage(trace) }
    case 'fallback':
      return { causes: ['an exception', 'a message', 'a fingerprint'], rest: '' }
    default:
      return { causes: [], rest: nothingElse }
  }
}

/** Values of variables matter only to a rule that has some. */
function ruleCauses({ ruled }: Evidence): readonly string[] {
  const hasVariables = ruled?.fingerprint?.parts.some(({ kind }) => kind === 'variable') === true
  const causes = ['a rule with another fingerprint', 'no matching rule']
  return hasVariables ? [...causes, 'another value of the variables of this rule'] : causes
}

function types({ exceptionCount, main }: Evidence): readonly string[] {
  if (exceptionCount > 1) return ['another exception type', 'one more or one fewer in the chain']
  return main?.type === '' ? [] : ['another exception type']
}

function message({ replaced }: Trace): string {
  return replaced.size === 0 ? 'another message' : 'other words in the message'
}

function sameMessage({ replaced }: Trace): string {
  return replaced.size === 0
    ? 'Numbers, ids, addresses and other variable parts would not, if it had any.'
    : 'Other values of its variable parts would not.'
}

function notCounted({ variants: [first, second] }: Evidence): string {
  const libraries = first.name === 'app' ? ', and other frames of libraries' : ''
  const either = second === undefined ? '' : ' It is enough that one of both lists is the same.'
  return `Another message, other line numbers${libraries} would not.${either}`
}

/** `a, b or c` */
function oneOf(parts: readonly string[]): string {
  const last = parts.at(-1)!
  if (parts.length === 1) return last
  const comma = parts.length > 2 ? ',' : ''
  return `${parts.slice(0, -1).join(', ')}${comma} or ${last}`
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
