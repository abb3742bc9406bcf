/** Statuses of ideas in other services. */
import { type IdeaStatus, ideaStatuses } from '#schemas/rest/portal/idea.ts'

/** Default names of Canny, Fider and UserVoice, in lower case with spaces. */
const knownNames: ReadonlyMap<string, IdeaStatus> = new Map<string, IdeaStatus>([
  ...ideaStatuses.map((status) => [status.toLowerCase(), status] as const),
  ['under review', 'Open'],
  ['reviewing', 'Open'],
  ['active', 'Open'],
  ['in progress', 'Started'],
  ['complete', 'Completed'],
  ['closed', 'Declined'],
])

export type StatusMap = ReadonlyMap<string, IdeaStatus>

/** The status of a name. Names of `given` override known ones. */
export function statusNamed(name: string, given: StatusMap): IdeaStatus | undefined {
  const plain = plainStatus(name)
  return given.get(plain) ?? knownNames.get(plain)
}

export function plainStatus(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
}

/** Parses `In QA=Started,Shipped=Completed`. Undefined: the text is not valid. */
export function parseStatusMap(text: string): StatusMap | undefined {
  const map = new Map<string, IdeaStatus>()
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue
    const at = pair.lastIndexOf('=')
    const name = plainStatus(pair.slice(0, Math.max(0, at)))
    const wanted = plainStatus(pair.slice(at + 1))
    const status = ideaStatuses.find((one) => one.toLowerCase() === wanted)
    if (name === '' || status === undefined || status === 'Duplicate') return undefined
    map.set(name, status)
  }
  return map
}
