/** Texts of requests whose rules are checked by code behind the schema. They are bounded here, well above what those rules allow. */
import { z } from 'zod'

const addressCharactersMax = 1_000
const slugCharactersMax = 200
const idCharactersMax = 100

/** An email address, a domain or an IP address, as somebody typed it. */
export const AddressText = z.string().max(addressCharactersMax)
/** The slug of a newsletter, which may not exist. */
export const NewsletterName = z
  .string()
  .trim()
  .min(1, 'must be the slug of a newsletter')
  .max(slugCharactersMax)
/** An id, which may not exist. */
export const IdText = z.string().max(idCharactersMax)
