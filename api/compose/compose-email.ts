/**
 * Composes an email: from what an author wrote to literals and slots that only wait for their
 * recipient. It happens once for a campaign and once for a transactional email; `compose-steps.ts`
 * lists the steps.
 */
import { emailSteps, runSteps } from './compose-steps.ts'
import { type ComposingEmail, startComposing } from './composing-email.ts'
import type { ComposedEmail, EmailFrame, EmailSource } from './email-source.ts'

export type { ComposedEmail, EmailFrame, EmailSource } from './email-source.ts'

export function composeEmail(source: EmailSource, frame: EmailFrame): ComposedEmail {
  return composePage(source, frame).composed
}

/** The composed email with what inspecting it needs: its tree and its marks. */
export function composePage(
  source: EmailSource,
  frame: EmailFrame,
): { composing: ComposingEmail; composed: ComposedEmail } {
  const composing = startComposing(source, frame)
  runSteps(composing, emailSteps)
  return { composing, composed: composing.result }
}
