/** A task file that cannot be loaded. */
throw new Error('this file does not load')
