/** Secrets of webhooks, which the server shows in one answer only. */
import { signal } from '@preact/signals'
import { Button } from '../../../design/button.tsx'
import { CopyValue } from '../../../design/content/copy.tsx'
import { formatExact } from '../../../design/content/format.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import type { Rule } from './rule/draft.ts'

interface ShownSecret {
  readonly name: string
  readonly secret: string
  /** The former secret signs until then. */
  readonly previousUntil?: string
}

/** Outlives the change of the page after a rule was created. */
const shown = signal<readonly ShownSecret[]>([])

export function showSecrets(secrets: readonly ShownSecret[]): void {
  if (secrets.length > 0) shown.value = secrets
}

/** Those of webhooks that the request has added. */
export function secretsOf(rule: Rule): readonly ShownSecret[] {
  return rule.then.flatMap((target) =>
    target.type === 'webhook' && target.secret !== undefined
      ? [{ name: target.url, secret: target.secret }]
      : [],
  )
}

export function SecretDialog() {
  if (shown.value.length === 0) return null
  const close = () => {
    shown.value = []
  }
  return (
    <Dialog
      title={shown.value.length === 1 ? 'Secret of the webhook' : 'Secrets of the webhooks'}
      onClose={close}
      footer={
        <Button kind="primary" onClick={close}>
          I have copied it
        </Button>
      }
    >
      <div class="stack">
        <p>
          Use it to verify that a request comes from Sluice. It is shown only once; a lost one can
          be rotated.
        </p>
        {shown.value.map(({ name, secret, previousUntil }) => (
          <div key={secret} class="stack">
            <span class="small soft">{name}</span>
            <CopyValue label="the secret" value={secret} />
            {previousUntil !== undefined && (
              <p class="small soft">
                Until {formatExact(previousUntil)} every request is also signed with the previous
                secret.
              </p>
            )}
          </div>
        ))}
      </div>
    </Dialog>
  )
}
