import { type ShownTag, TagChip } from './tag-chip.tsx'
import './shared.css'

interface TagPickerProps {
  readonly tags: readonly ShownTag[]
  /** Slugs. */
  readonly chosen: readonly string[]
  readonly onChosen: (chosen: readonly string[]) => void
}

export function TagPicker({ tags, chosen, onChosen }: TagPickerProps) {
  if (tags.length === 0) return null
  return (
    <fieldset class="tag-picker">
      <legend class="field-label">Tags</legend>
      {tags.map((tag) => (
        <label key={tag.slug}>
          <input
            type="checkbox"
            class="check"
            checked={chosen.includes(tag.slug)}
            onChange={(event) =>
              onChosen(
                event.currentTarget.checked
                  ? [...chosen, tag.slug]
                  : chosen.filter((slug) => slug !== tag.slug),
              )
            }
          />
          <TagChip tag={tag} />
        </label>
      ))}
    </fieldset>
  )
}
