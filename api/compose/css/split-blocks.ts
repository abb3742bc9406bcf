const onPaperOnly = /^@media\s+(?:only\s+)?(?:print|speech)\b/i

/**
 * Splits a style sheet into the rules outside of `@media`, `@supports` and similar blocks, and the
 * rules of each block, at any depth.
 */
export function splitBlocks(css: string): { plain: string; blocks: string[] } {
  let plain = ''
  const blocks: string[] = []
  let from = 0
  let level = 0
  let blockStart = -1
  for (let index = 0; index < css.length; index += 1) {
    const character = css[index]
    if (character === '{') {
      level += 1
      if (level === 1 && css.slice(from, index).trim().startsWith('@')) blockStart = index + 1
    } else if (character === '}') {
      level = Math.max(0, level - 1)
      if (level > 0) continue
      const whole = css.slice(from, index + 1)
      if (blockStart < 0) plain += whole
      else if (!onPaperOnly.test(whole.trim())) {
        const inner = splitBlocks(css.slice(blockStart, index))
        blocks.push(inner.plain + inner.blocks.join(''))
      }
      blockStart = -1
      from = index + 1
    }
  }
  return { plain, blocks }
}
