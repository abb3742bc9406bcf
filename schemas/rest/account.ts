/** Fields of accounts, shared by the API and the command line. */
import { z } from 'zod'

const noControl = /^\P{Cc}*$/u

export const DisplayName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(noControl, 'must not hold control characters')

/** Every event that is sent with the key has it as `component`. */
export const KeyLabel = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes')

export const NewsletterSlug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'must be 1 to 64 of a-z, 0-9 and dashes')

export const EmailAddress = z.email().max(254)
