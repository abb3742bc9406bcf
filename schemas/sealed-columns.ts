/**
 * All columns with values sealed under SLUICE_SECRET, by purpose. `SecretBox.seal` accepts only
 * these purposes, so that `admin secret rotate` re-seals all values. The place of a value is the id
 * of its row.
 */
export const sealedColumns = {
  /** Private keys of sending domains (PEM, PKCS #8). */
  dkim: { table: 'sending_domains', column: 'sealed_key' },
  /** Credentials that a provider's webhook must present, as JSON. */
  'bounce adapter': { table: 'bounce_adapters', column: 'sealed_settings' },
  /** Keys of the portals' end-user tokens. */
  'enduser secret': { table: 'enduser_secrets', column: 'sealed_secret' },
  /** Emails with a secret link, until they are sent. */
  'email body': { table: 'sends', column: 'sealed_body' },
  /** Targets of notifications with their URLs, tokens and webhook secrets, as JSON. */
  'notification target': { table: 'notification_targets', column: 'sealed_settings' },
} as const satisfies Record<string, { readonly table: string; readonly column: string }>

export type SealPurpose = keyof typeof sealedColumns
