/**
 * The tasks of a composing thread and their results. Refusals are values, because an error loses
 * its class on the way back from a thread.
 */
import { CodedError, type ErrorCode, type FieldError } from '#schemas/error-codes.ts'
import type { CampaignFrame } from '../campaign-frame.ts'
import { type Article, composeArticle } from '../compose-article.ts'
import {
  type ComposedEmail,
  composeEmail,
  type EmailFrame,
  type EmailSource,
} from '../compose-email.ts'
import { type InspectedEmail, inspectEmail } from '../inspect-email.ts'

export type ComposeTask =
  | { readonly kind: 'email'; readonly source: EmailSource; readonly frame: EmailFrame }
  | { readonly kind: 'article'; readonly source: EmailSource }
  | { readonly kind: 'inspection'; readonly source: EmailSource; readonly frame: CampaignFrame }

export interface ComposeResults {
  readonly email: ComposedEmail
  readonly article: Article
  readonly inspection: InspectedEmail
}

export type ComposeOutcome =
  | { readonly kind: 'composed'; readonly result: ComposeResults[keyof ComposeResults] }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly details: readonly FieldError[] | undefined
    }

export function composeTask(task: ComposeTask): ComposeOutcome {
  try {
    return { kind: 'composed', result: resultOf(task) }
  } catch (error) {
    if (error instanceof CodedError) {
      const { code, message, details } = error
      return { kind: 'refused', code, message, details }
    }
    // A recursive parser ran out of stack: the text is nested too deeply.
    if (error instanceof RangeError) return refusalOf(new CodedError('too_complex'))
    throw error
  }
}

function refusalOf({ code, message, details }: CodedError): ComposeOutcome {
  return { kind: 'refused', code, message, details }
}

function resultOf(task: ComposeTask): ComposeResults[keyof ComposeResults] {
  switch (task.kind) {
    case 'email':
      return composeEmail(task.source, task.frame)
    case 'article':
      return composeArticle(task.source)
    case 'inspection':
      return inspectEmail(task.source, task.frame)
  }
}
