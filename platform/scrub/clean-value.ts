/**
 * A part of an event that was searched before, by the same rules, and holds nothing to remove: the
 * walk through the event leaves it out.
 */
export abstract class CleanValue {}
