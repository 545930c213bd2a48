// Re-exported, since specs, events, errors and progress are part of the engine's interface.
@_exported public import HaulCore
