import type { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { Database } from '../database.ts'
import { openTarget, rotated, sealTarget } from './sealed-target.ts'
import { type StoredTarget, setTargetSettings } from './target-store.ts'

/** Gives a webhook a new secret. Call within a transaction that has locked the owner's row. */
export async function rotateTargetSecret(
  { pg, box }: { readonly pg: Database; readonly box: SecretBox },
  stored: StoredTarget,
  nowMs: number,
): Promise<{ readonly secret: string; readonly previous_secret_until: string }> {
  const content = openTarget(box, stored)
  if (content === undefined) {
    const message =
      'The settings of the webhook cannot be decrypted: SLUICE_SECRET has changed. Write its url again.'
    throw new CodedError('conflict', { message })
  }
  const { content: next, secret, until } = rotated(content, nowMs)
  const sealed = sealTarget(box, stored.id, next)
  await setTargetSettings(pg, { id: stored.id, shown: stored.shown, sealed })
  return { secret, previous_secret_until: until }
}
