import HaulServer
