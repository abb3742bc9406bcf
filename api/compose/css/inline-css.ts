/**
 * Puts the rules of a style sheet into `style` attributes, because many mail clients read nothing else; what cannot be inlined (media
 * queries, states) stays in the head. Nothing is ever fetched.
 */
import juice from 'juice'

// The library would carry `{{…}}` and `<%…%>` past its parser and put them back without escaping: text could become an attribute.
for (const name of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[name]

/** Each rule is matched against each element; a letter has some hundred of both. */
const matchesMax = 500_000

export function canInline(html: string, css: string): boolean {
  const elementCount = html.split('<').length
  const ruleCount = css.split(/[,{]/).length
  return elementCount * ruleCount <= matchesMax
}

/** `html`: a whole document, with its styles in the head. */
export function inlineCss(html: string): string {
  return juice(html, {
    applyAttributesTableElements: false,
    applyHeightAttributes: false,
    applyWidthAttributes: false,
    inlinePseudoElements: false,
    preserveFontFaces: true,
    preserveImportant: true,
    preserveKeyFrames: false,
    preserveMediaQueries: true,
    preservePseudos: true,
    decodeStyleAttributes: false,
    resolveCSSVariables: false,
  })
}
