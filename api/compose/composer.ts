/**
 * Composing for the rest of the API. The process that answers requests composes in threads
 * (`pool/compose-pool.ts`), so it does not load the modules that do the work.
 */
import { CodedError } from '#schemas/error-codes.ts'
import type { CampaignFrame } from './campaign-frame.ts'
import type { Article } from './compose-article.ts'
import type { ComposedEmail, EmailFrame, EmailSource } from './compose-email.ts'
import type { InspectedEmail } from './inspect-email.ts'
import type { ComposeOutcome, ComposeTask } from './pool/compose-task.ts'

/**
 * Runs a task for its owner: an organization, or a newsletter for public pages. An owner occupies
 * at most one thread at a time.
 */
export type RunComposeTask = (task: ComposeTask, owner: string) => Promise<ComposeOutcome>

export class Composer {
  readonly #run: RunComposeTask

  constructor(run: RunComposeTask) {
    this.#run = run
  }

  email(owner: string, source: EmailSource, frame: EmailFrame) {
    const task = { kind: 'email', source: sourceOf(source), frame: frameOf(frame) } as const
    return this.#compose<ComposedEmail>(task, owner)
  }

  article(owner: string, source: EmailSource) {
    return this.#compose<Article>({ kind: 'article', source: sourceOf(source) }, owner)
  }

  inspection(owner: string, source: EmailSource, frame: CampaignFrame) {
    const task = { kind: 'inspection', source: sourceOf(source), frame: frameOf(frame) } as const
    return this.#compose<InspectedEmail>(task, owner)
  }

  async #compose<Result>(task: ComposeTask, owner: string): Promise<Result> {
    const outcome = await this.#run(task, owner)
    if (outcome.kind === 'composed') return outcome.result as Result
    const { code, message, details } = outcome
    throw new CodedError(code, details === undefined ? { message } : { message, details })
  }
}

/** Callers pass whole rows; only the fields that composing reads are copied to a thread. */
function sourceOf({ subject, previewText, html, markdown }: EmailSource): EmailSource {
  return { subject, previewText, html, markdown }
}

function frameOf<Frame extends EmailFrame>(frame: Frame): Frame {
  if (frame.kind !== 'campaign') return frame
  const { name, locale, logoUrl, footer, postalAddress } = frame.newsletter
  return { ...frame, newsletter: { name, locale, logoUrl, footer, postalAddress } }
}
