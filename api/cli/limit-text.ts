import { z } from 'zod'

/** A limit on the command line: a whole number, or `none`, which becomes null. */
export const LimitText = z
  .string()
  .regex(/^(?:none|\d{1,15})$/, 'must be a whole number, or none')
  .transform((text) => (text === 'none' ? null : Number(text)))
