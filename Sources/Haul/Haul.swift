// The whole library under one name.
@_exported public import HaulCore
@_exported public import HaulEngine
@_exported public import HaulLocal
@_exported public import HaulManager
