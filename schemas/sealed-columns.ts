/**
 * Every column whose values are sealed under SLUICE_SECRET, by its purpose. `SecretBox.seal` takes
 * no purpose that is missing here, so that `admin secret rotate` re-seals all of them. The place of
 * a value is the id of its row.
 */
export const sealedColumns = {
  /** Private keys of sending domains (PEM, PKCS #8). */
  dkim: { table: 'sending_domains', column: 'sealed_key' },
  /** What a provider's webhook must prove, as JSON. */
  'bounce adapter': { table: 'bounce_adapters', column: 'sealed_settings' },
  /** Keys of the portals' end-user tokens. */
  'enduser secret': { table: 'enduser_secrets', column: 'sealed_secret' },
  /** Texts of emails with a secret link, until they are sent. */
  'email body': { table: 'sends', column: 'sealed_body' },
} as const satisfies Record<string, { readonly table: string; readonly column: string }>

export type SealPurpose = keyof typeof sealedColumns
