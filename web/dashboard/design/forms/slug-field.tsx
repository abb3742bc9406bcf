import { useState } from 'preact/hooks'
import { TextField } from './field.tsx'
import { slugOf } from './slug-of.ts'

export interface ProposedSlug {
  readonly value: string
  readonly onText: (text: string) => void
}

/** The slug follows the name until somebody writes another one. */
export function useProposedSlug(name: string): ProposedSlug {
  const [typed, setTyped] = useState<string>()
  return { value: typed ?? slugOf(name), onText: setTyped }
}

interface SlugFieldProps {
  readonly slug: ProposedSlug
  /** Where it is used, and whether it can be changed. */
  readonly hint: string
  readonly maxLength?: number
  readonly error: string | undefined
}

export function SlugField({ slug: { value, onText }, hint, maxLength, error }: SlugFieldProps) {
  return (
    <TextField
      label="Slug"
      required
      value={value}
      onText={onText}
      maxLength={maxLength ?? 50}
      error={error}
      hint={`Lowercase letters, digits and hyphens. ${hint}`}
    />
  )
}
