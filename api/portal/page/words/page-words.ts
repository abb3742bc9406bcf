import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { RefusalKey } from './refusal-keys.ts'

/** The texts of the page in one language. */
export interface Words {
  readonly title: string
  readonly skip: string
  readonly all: string
  readonly byStatus: string
  readonly status: Readonly<Record<IdeaStatus, string>>
  readonly search: string
  readonly searchPlaceholder: string
  readonly sortBy: string
  readonly top: string
  readonly newest: string
  readonly tags: string
  readonly suggest: string
  readonly suggestShort: string
  readonly suggestThis: (text: string) => string
  readonly nothingFits: (text: string) => string
  readonly nothingHere: string
  readonly beFirst: string
  readonly found: (count: number) => string
  readonly more: string
  readonly votes: (count: number) => string
  readonly vote: (title: string) => string
  readonly comments: (count: number) => string
  readonly noComments: string
  readonly by: (name: string) => string
  readonly writtenOn: (title: string) => string
  readonly anonymous: string
  readonly team: string
  readonly back: string
  readonly history: string
  readonly suggested: string
  readonly moved: (status: string) => string
  readonly merged: string
  readonly unmerged: string
  readonly response: string
  readonly pending: string
  readonly pendingNote: string
  readonly pendingCommentNote: string
  /** Entry of a pending idea in its history. */
  readonly pendingEvent: string
  readonly duplicateNote: string
  readonly duplicateLink: string
  readonly deleted: string
  readonly reply: string
  readonly send: string
  readonly writeComment: string
  readonly writeReply: string
  readonly email: string
  readonly emailWhy: string
  readonly suggestTitle: string
  readonly suggestIntro: string
  readonly ideaTitle: string
  readonly ideaTitleHint: string
  readonly ideaText: string
  readonly ideaTextHint: string
  readonly similar: string
  readonly submit: string
  readonly signIn: string
  readonly poweredBy: string
  readonly feedNew: string
  readonly feedStatus: string
  readonly leaveEmpty: string
  readonly tooFast: string
  readonly failed: string
  readonly offline: string
  readonly voted: string
  readonly unvoted: string
  readonly notFound: string
  readonly notFoundText: string
  readonly unavailable: string
  readonly foreignForm: string
  readonly refusals: Readonly<Record<RefusalKey, string>>
}
