import type { IdeaDetail } from '../common/idea.ts'

type IdeaEvent = Pick<IdeaDetail['events'][number], 'kind' | 'from_status' | 'to_status'>

/** What an event of an idea's history says after the name of its actor. */
export function sentenceOf({ kind, from_status: from, to_status: to }: IdeaEvent): string {
  switch (kind) {
    case 'created':
      return 'created the idea'
    case 'status':
      return from === null ? `set the status to ${to}` : `changed the status from ${from} to ${to}`
    case 'response':
      return 'wrote the official answer'
    case 'merged':
      return 'merged it into'
    case 'unmerged':
      return 'undid the merge with'
    case 'approved':
      return 'approved the idea'
    case 'rejected':
      return 'rejected the idea'
    default:
      return kind.replaceAll('_', ' ')
  }
}
