/**
 * Texts whose rules are checked behind the schema. The bounds here are above those of the rules.
 */
import { z } from 'zod'

const addressCharactersMax = 1_000
const slugCharactersMax = 200
const idCharactersMax = 100

/** An email address, a domain or an IP address, as it was typed. */
export const AddressText = z.string().max(addressCharactersMax)
/** Slug of a newsletter, which need not exist. */
export const NewsletterName = z
  .string()
  .trim()
  .min(1, 'must be the slug of a newsletter')
  .max(slugCharactersMax)
/** An id, which need not exist. */
export const IdText = z.string().max(idCharactersMax)
