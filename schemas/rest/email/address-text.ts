/** Texts that an action validates. The limits here only bound the work; the rules are stricter. */
import { z } from 'zod'

const addressCharactersMax = 1_000
const slugCharactersMax = 200
const idCharactersMax = 100

/** An email address, a domain or an IP address as typed. */
export const AddressText = z.string().max(addressCharactersMax)
/** A slug of a newsletter that may not exist. */
export const NewsletterName = z
  .string()
  .trim()
  .min(1, 'must be the slug of a newsletter')
  .max(slugCharactersMax)
/** An id that may not exist. */
export const IdText = z.string().max(idCharactersMax)
