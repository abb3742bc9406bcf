/** Reads the sealed settings of a target. */
import type { SecretBox } from '#platform/secret-box.ts'
import { SealedTarget } from '#schemas/alerts/sealed-target.ts'
import { AlertTarget } from '#schemas/rest/alerts/target.ts'

export interface StoredTarget {
  readonly id: string
  readonly type: string
  /** What may be shown; an email target has nothing else. */
  readonly shown: unknown
  readonly sealed_settings: Buffer | null
}

export type OpenedTarget =
  | { readonly kind: 'ok'; readonly target: AlertTarget; readonly secrets: readonly string[] }
  | { readonly kind: 'unreadable'; readonly error: string }

export function openTarget(
  box: Pick<SecretBox, 'open'>,
  stored: StoredTarget,
  nowMs: number,
): OpenedTarget {
  if (stored.type === 'email') {
    const { data } = AlertTarget.safeParse({ ...Object(stored.shown), type: 'email' })
    return data === undefined ? unreadable(invalid) : { kind: 'ok', target: data, secrets: [] }
  }
  if (stored.sealed_settings === null) return unreadable(invalid)
  let text: string
  try {
    text = box.open('notification target', stored.id, stored.sealed_settings)
  } catch {
    return unreadable(
      'The settings of the target cannot be decrypted: SLUICE_SECRET has changed. Restore it, or create the target again.',
    )
  }
  const settings = parse(text)
  if (settings === undefined || settings.target.type !== stored.type) return unreadable(invalid)
  const secrets = settings.secrets
    .filter(({ until }) => until === undefined || nowMs < Date.parse(until))
    .map(({ value }) => value)
  if (stored.type === 'webhook' && secrets.length === 0) return unreadable(invalid)
  return { kind: 'ok', target: settings.target, secrets }
}

const invalid = 'The settings of the target are invalid. Create the target again.'
const unreadable = (error: string): OpenedTarget => ({ kind: 'unreadable', error })

function parse(text: string): SealedTarget | undefined {
  try {
    return SealedTarget.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
