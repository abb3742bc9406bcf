/**
 * An email address and the name that mail clients show for it, as in the header `From: Sluice
 * <sluice@example.com>`.
 */
export interface Mailbox {
  /** Null if there is none. Never contains control characters. */
  readonly name: string | null
  readonly email: string
}
