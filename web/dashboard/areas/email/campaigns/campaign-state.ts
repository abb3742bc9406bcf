import type { Tone } from '../../../design/content/badge.tsx'
import type { Item, PagedName } from '../../../http/use-pages.ts'

export type CampaignItem = Item<'GET /api/v1/admin/email/campaigns' & PagedName>
export type CampaignState = CampaignItem['state']

const words: Readonly<Record<CampaignState, readonly [string, Tone]>> = {
  draft: ['Draft', 'neutral'],
  scheduled: ['Scheduled', 'info'],
  preparing: ['Preparing', 'accent'],
  sending: ['Sending', 'accent'],
  paused: ['Paused', 'warning'],
  sent: ['Sent', 'success'],
  cancelled: ['Cancelled', 'neutral'],
  failed: ['Failed', 'danger'],
}

export function stateWord(state: CampaignState): string {
  return words[state][0]
}

export function stateTone(state: CampaignState): Tone {
  return words[state][1]
}

export interface StateGroup {
  readonly name: string
  readonly label: string
  /** For the query of the API; undefined is all. */
  readonly states: readonly CampaignState[] | undefined
}

/** The tabs of the list. */
export const stateGroups: readonly StateGroup[] = [
  { name: 'all', label: 'All', states: undefined },
  { name: 'drafts', label: 'Drafts', states: ['draft'] },
  { name: 'scheduled', label: 'Scheduled', states: ['scheduled'] },
  { name: 'sending', label: 'Sending', states: ['preparing', 'sending'] },
  { name: 'paused', label: 'Paused', states: ['paused'] },
  { name: 'sent', label: 'Sent', states: ['sent'] },
  { name: 'cancelled', label: 'Cancelled', states: ['cancelled', 'failed'] },
]

export function groupNamed(name: string | undefined): StateGroup {
  return stateGroups.find((group) => group.name === name) ?? stateGroups[0]!
}

/** Emails go out, or will when somebody resumes it. */
export function isUnderWay(state: CampaignState): boolean {
  return state === 'preparing' || state === 'sending' || state === 'paused'
}
