import SchemaBuilder from '@pothos/core';
import { vi } from 'vitest';

/**
 * Gives each file of a shared process modules, variables and timers of its own. Runs before each of these files. Only
 * packages stay loaded.
 */
vi.resetModules();
vi.unstubAllEnvs();
vi.useRealTimers();
// Pothos keeps plugins by name, and each file loads ours again.
SchemaBuilder.allowPluginReRegistration = true;
