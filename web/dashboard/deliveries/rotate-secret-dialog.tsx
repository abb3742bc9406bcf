import { ConfirmDialog } from '../design/overlays/dialog.tsx'

interface RotateSecretProps {
  /** The URL or the label of the webhook. */
  readonly webhook: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before a webhook of an alert rule or of the organization gets a new secret. */
export function RotateSecretDialog({ webhook, onConfirm, onClose }: RotateSecretProps) {
  return (
    <ConfirmDialog
      title="Rotate the secret"
      confirm="Rotate the secret"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        <bdi>{webhook}</bdi> gets a new signing secret, which is shown once. For 24 hours every
        request is signed with the present secret, too. A receiver that still verifies with the
        present one after that refuses every request.
      </p>
      <p class="soft">A secret that was replaced earlier signs no more requests, as of now.</p>
    </ConfirmDialog>
  )
}
