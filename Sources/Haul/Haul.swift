// Who imports Haul sees the model too: specs, events, errors and progress are one vocabulary with the engine.
@_exported public import HaulCore
