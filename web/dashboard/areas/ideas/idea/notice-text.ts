/**
 * What the email about a new status or answer says, to be read before it is sent. The words are
 * those of the workers' renderer; a test compares them.
 */
import type { IdeaStatus } from '../common/idea.ts'

export interface NoticeChange {
  readonly title: string
  readonly statusBefore: IdeaStatus
  readonly status: IdeaStatus
  /** Undefined: the answer does not change. */
  readonly response: string | undefined
}

export interface Notice {
  readonly subject: string
  readonly lines: readonly string[]
}

const subjectTitleMax = 100
const titleMax = 200
const responseMax = 2_000

/** Undefined: nobody is told. */
export function noticeOf({
  title,
  statusBefore,
  status,
  response,
}: NoticeChange): Notice | undefined {
  const answer = response?.trim() ?? ''
  const answerLines = answer === '' ? [] : [clip(answer, responseMax)]
  const short = `“${clip(oneLine(title), subjectTitleMax)}”`
  const long = `“${clip(oneLine(title), titleMax)}”`
  if (status !== statusBefore) {
    const lines = [`The idea ${long} is now ${status}.`, ...answerLines]
    return { subject: `${short} is now ${status}`, lines }
  }
  if (answer === '') return undefined
  return {
    subject: `An answer to ${short}`,
    lines: [`The team answered the idea ${long}:`, ...answerLines],
  }
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function clip(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  return `${characters.slice(0, charactersMax - 1).join('')}…`
}
