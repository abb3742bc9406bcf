/**
 * Splits long work on the main thread into slices, so that the event loop can serve requests in
 * between. A single step (a row, a record, a piece of text) must be short.
 */
const sliceMsMax = 10

export class Slices {
  #since = performance.now()

  /** Call after each step. Yields to the event loop when the slice is used up. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < sliceMsMax) return
    await new Promise(setImmediate)
    this.#since = performance.now()
  }
}

/** Yields the items. The caller's work on each is a step. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  const slices = new Slices()
  for (const item of items) {
    yield item
    await slices.next()
  }
}

/** Works like `items.map(change)`. Each change is a step. */
export async function mapInSlices<Item, Changed>(
  items: Iterable<Item>,
  change: (item: Item, index: number) => Changed,
): Promise<Changed[]> {
  const changed: Changed[] = []
  for await (const item of inSlices(items)) changed.push(change(item, changed.length))
  return changed
}
