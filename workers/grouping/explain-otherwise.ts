/** Says what would have made another issue of an event, and what would not. */
import type { Evidence, GroupingPath } from './evidence.ts'
import type { Trace } from './trace.ts'

export function otherwise(evidence: Evidence, trace: Trace): string {
  const { path, basePath } = evidence
  const changes = changesOf(basePath, evidence, trace)
  if (path.startsWith('hybrid-')) {
    return `Another value of the fingerprint would have made another issue, and so would ${lowerFirst(changes)}`
  }
  return changes
}

const made = 'would have made another issue'
const anyOther = 'Nothing else counts.'

function changesOf(path: GroupingPath, evidence: Evidence, trace: Trace): string {
  switch (path) {
    case 'fingerprint':
      return `Another fingerprint ${made}. ${anyOther}`
    case 'checksum':
      return `Another checksum ${made}. ${anyOther}`
    case 'exception-stack':
      return `${aType(evidence)}, another function or module in these frames, or another order of them ${made}. ${notCounted(evidence)}`
    case 'thread-stack':
    case 'stack':
      return `Another function or module in these frames, or another order of them ${made}. ${notCounted(evidence)}`
    case 'minified':
      return `${aType(evidence)}, ${aMessage(trace)} or another file of the script ${made}. Other functions, lines and columns would not.`
    case 'exception-value':
      return `${aType(evidence)} or ${aMessage(trace)} ${made}. ${sameMessage(trace)}`
    case 'security':
      return `Another directive or another blocked host ${made}. The page would not.`
    case 'message':
      return `${upperFirst(aMessage(trace))} ${made}. ${sameMessage(trace)}`
    case 'fallback':
      return `An exception, a message or a fingerprint ${made}.`
    default:
      return `Another value of one of these pieces ${made}. ${anyOther}`
  }
}

function aType({ exceptionCount }: Evidence): string {
  return exceptionCount > 1
    ? 'Another exception type, or one more or one fewer in the chain'
    : 'Another exception type'
}

function aMessage({ replaced }: Trace): string {
  return replaced.size === 0 ? 'another message' : 'other words in the message'
}

function sameMessage({ replaced }: Trace): string {
  return replaced.size === 0
    ? 'Numbers, ids, addresses and other variable parts would not, if it had any.'
    : 'Other values of its variable parts would not.'
}

function notCounted({ variants: [first, second] }: Evidence): string {
  const libraries = first.name === 'app' ? ', and other frames of libraries' : ''
  const either =
    second === undefined
      ? ''
      : ' It is enough that the list of one of both kinds of frames is the same.'
  return `Another message, other line numbers${libraries} would not.${either}`
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
