/** The settings of a target as they are stored: sealed, because they hold URLs and tokens. */
import { createWebhookSecret } from '#platform/http/sign-webhook.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import { SealedTarget } from '#schemas/alerts/sealed-target.ts'
import { type AlertTarget, previousSecretSeconds } from '#schemas/rest/alerts/target.ts'

const purpose = 'notification target'

export type TargetContent = SealedTarget

/** A webhook begins with a secret. */
export function newContent(target: AlertTarget): TargetContent {
  const secrets = target.type === 'webhook' ? [{ value: createWebhookSecret() }] : []
  return { target, secrets }
}

/** Null for email, which has no secrets: its recipients are in `shown`. */
export function sealTarget(
  box: Pick<SecretBox, 'seal'>,
  id: string,
  content: TargetContent,
): Buffer | null {
  return content.target.type === 'email' ? null : box.seal(purpose, id, JSON.stringify(content))
}

/** Undefined if it cannot be read, as after a loss of the installation's secret. */
export function openTarget(
  box: Pick<SecretBox, 'open'>,
  stored: { readonly id: string; readonly shown: unknown; readonly sealed: Buffer | null },
): TargetContent | undefined {
  try {
    const content: unknown =
      stored.sealed === null
        ? { target: stored.shown }
        : JSON.parse(box.open(purpose, stored.id, stored.sealed))
    return SealedTarget.safeParse(content).data
  } catch {
    return undefined
  }
}

/**
 * Adds a new secret. The last one signs along for a day; one that was replaced earlier ends at
 * once, so that a request never has more than two signatures.
 */
export function rotated(
  { target, secrets }: TargetContent,
  nowMs: number,
): { readonly content: TargetContent; readonly secret: string; readonly until: string } {
  const until = new Date(nowMs + previousSecretSeconds * 1_000).toISOString()
  const secret = createWebhookSecret()
  const last = secrets.find((one) => one.until === undefined)
  const previous = last === undefined ? [] : [{ value: last.value, until }]
  return { content: { target, secrets: [{ value: secret }, ...previous] }, secret, until }
}
