import './shared.css'

export interface ShownTag {
  readonly slug: string
  readonly name: string
  readonly color: string
}

const colorPattern = /^#[0-9a-f]{6}$/i

/** The color is a dot beside the name, so that the text keeps its contrast. */
export function TagChip({ tag }: { readonly tag: ShownTag }) {
  const color = colorPattern.test(tag.color) ? tag.color : undefined
  return (
    <span class="tag-chip">
      <span
        class="tag-dot"
        {...(color === undefined ? {} : { style: { backgroundColor: color } })}
      />
      <bdi class="truncate">{tag.name}</bdi>
    </span>
  )
}
